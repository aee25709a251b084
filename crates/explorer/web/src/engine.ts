// The engine inside obook: it searches the position on the board level by level, goes on while one walks, and stops when one leaves.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address } from './api/client';
import type { Hint } from './api/types';
import { kept } from './kept';
import { IDLE, useLines, type Coming } from './panels/load';
import { at, book, gameOver, hint, hints, isBeyond, panel, reviewing } from './state';

/** The last level of its searches. */
export const level = kept('engine', 16, (value) => (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 30 ? Number(value) : null));
/** Whether it searches what the book doesn’t know. In the book it searches while its panel is open. */
export const goesOn = kept('beyond', false, (value) => (typeof value === 'boolean' ? value : null));
export const toggleEngine = (): void => { goesOn.value = !goesOn.value; };

/** How its search is coming along. */
export const engine = signal<Coming>(IDLE);

/** Whether somebody can see the page. */
const seen = signal(!document.hidden);
document.addEventListener('visibilitychange', () => { seen.value = !document.hidden; });

/** The most positions whose searches are kept. */
const MOST = 500;

const isDone = ({ level: reached, moves }: Hint): boolean => reached >= level.value || moves.every(({ proven }) => proven);

/** Lets it search for the page. A page has one search at a time: a review comes first. */
export function useEngine(): void {
  const where = at.value;
  const wanted = !SITE && seen.value && !gameOver.value && !reviewing.value && (panel.value === 'hint' || (goesOn.value && isBeyond.value));
  const url = !wanted || (hint.value && isDone(hint.value)) ? null : address(book.value, 'hint', { at: where, level: level.value });
  const take = (line: Hint): void => {
    const known = hints.value;
    if ((known.get(where)?.level ?? 0) < line.level) hints.value = new Map([...(known.size < MOST ? known : []), [where, line]]);
  };
  const state = useLines<Hint>(url, null, take);
  useEffect(() => {
    engine.value = state;
    return () => { engine.value = IDLE; };
  }, [state]);
}
