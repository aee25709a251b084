// Playing against the book, and beyond it against the engine inside obook.

import { batch, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { address, getJson, isAbort, message, streamJson } from '../api/client';
import type { Chosen, Hint } from '../api/types';
import { Line } from '../board/line';
import { BoardSide, resultOf } from '../board/side';
import { kept, numberIn } from '../kept';
import { colourName, other, START, squareIndex, type Colour } from '../othello';
import { at, book, fromStart, gameOver, goTo, hands, here, moves, page, playMove, ply, root, showLine, side, steps, transcript } from '../state';

const RULES = [
  ['best', 'Best moves', null],
  ['loss', 'Any move within a loss', { label: 'Loss in discs', most: 20, initial: 2 }],
  ['edax', 'As Edax', { label: 'Book randomness', most: 20, initial: 1 }],
  ['egaroucid', 'As Egaroucid', { label: 'Book accuracy level', most: 10, initial: 3 }],
] as const;
type Rule = (typeof RULES)[number][0];
interface Settings { readonly rule: Rule; readonly number: number; readonly level: number }

const settings = kept<Settings>('play', { rule: 'loss', number: 1, level: 8 }, (value) => {
  const rule = RULES.find(([name]) => name === (value as { rule?: unknown } | null)?.rule)?.[0];
  const [number, level] = [numberIn(value, 'number', 0, 20), numberIn(value, 'level', 1, 20)];
  return rule && number !== null && level !== null ? { rule, number, level } : null;
});
const written = ({ rule, number }: Settings): string => (rule === 'best' ? rule : `${rule}:${rule === 'egaroucid' ? Math.min(number, 10) : number}`);

/** One seed a game, so that games differ. */
const seed = signal(0);
const newSeed = (): void => { seed.value = crypto.getRandomValues(new Uint32Array(1))[0]!; };

/** Who chose the last reply. */
const replied = signal<'book' | 'engine' | null>(null);

function begin(colour: Colour, fromHere: boolean): void {
  newSeed();
  batch(() => {
    side.value = colour;
    replied.value = null;
    if (fromHere) showLine(root.value, moves.value.slice(0, ply.value));
    else showLine(START, []);
  });
}

/** The reply to the position on the board: the book's, or the engine's where the book has none. */
async function reply(where: string, signal: AbortSignal): Promise<{ square: string; by: 'book' | 'engine' } | null> {
  const asked = { at: where, rule: written(settings.value), seed: seed.value };
  const chosen = await getJson<Chosen>(address(book.value, 'choose', asked), signal);
  if (chosen.square) return { square: chosen.square, by: 'book' };
  let best: string | null = null;
  const url = address(book.value, 'hint', { at: where, level: settings.value.level });
  for await (const { moves: found } of streamJson<Hint>(url, { signal })) best = found[0]?.square ?? best;
  return best ? { square: best, by: 'engine' } : null;
}

/** Replies when it is the other side's turn at the end of the line. Returns what went wrong. */
function useReplies(): { error: string | null; again: () => void } {
  const [failed, setFailed] = useState<{ at: string; error: string } | null>(null);
  const isTheirs = side.value !== null && !gameOver.value && here.value.turn !== side.value && ply.value === steps.value.length - 1;
  const where = isTheirs && failed?.at !== at.value ? at.value : null;
  useEffect(() => {
    if (where === null) return;
    const control = new AbortController();
    const play = async (): Promise<void> => {
      // The discs of the move before have time to turn.
      const [found] = await Promise.all([reply(where, control.signal), new Promise((resolve) => setTimeout(resolve, 400))]);
      if (control.signal.aborted || at.value !== where || !found) return;
      replied.value = found.by;
      playMove(squareIndex(found.square));
    };
    play().catch((error: unknown) => { if (!isAbort(error)) setFailed({ at: where, error: message(error) }); });
    return () => control.abort();
  }, [where, book.value]);
  return { error: failed?.at === at.value ? failed.error : null, again: () => setFailed(null) };
}

/** Takes back the person's last move, with the replies to it. */
function takeBackMine(): void {
  const list = steps.value;
  for (let index = ply.value - 1; index >= 0; index--) {
    if (list[index]!.turn === side.value) return showLine(root.value, moves.value.slice(0, index));
  }
}

function Choices() {
  const { rule, number, level } = settings.value;
  const more = RULES.find(([name]) => name === rule)![2];
  const set = (change: Partial<Settings>): void => { settings.value = { ...settings.value, ...change }; };
  const whole = (event: { currentTarget: HTMLInputElement }, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.round(event.currentTarget.valueAsNumber) || least));
  return (
    <div class="choices">
      <label>The book plays
        <select value={rule} onChange={(event) => {
          const [name, , its] = RULES.find(([known]) => known === event.currentTarget.value)!;
          set({ rule: name, number: its?.initial ?? 0 });
        }}>{RULES.map(([name, title]) => <option key={name} value={name}>{title}</option>)}</select>
      </label>
      {more && <label>{more.label}
        <input type="number" min="0" max={more.most} value={number} onChange={(event) => set({ number: whole(event, 0, more.most) })} /></label>}
      <label>Engine’s level beyond it
        <input type="number" min="1" max="20" value={level} onChange={(event) => set({ level: whole(event, 1, 20) })} /></label>
    </div>
  );
}

function Begin() {
  const isStart = fromStart.value && transcript() === '';
  const [fromHere, setFromHere] = useState(false);
  return (
    <section class="card setup" aria-label="New game">
      <h1>Play against the book</h1>
      <p class="quiet">Values are hidden. Afterwards, the board page shows what each move was worth.</p>
      <Choices />
      {!isStart && (
        <fieldset><legend>From</legend>
          <label><input type="radio" name="from" checked={!fromHere} onChange={() => setFromHere(false)} />the start</label>
          <label><input type="radio" name="from" checked={fromHere} onChange={() => setFromHere(true)} />the position on the board</label>
        </fieldset>
      )}
      <p class="buttons">
        <button type="button" class="primary" onClick={() => begin('X', fromHere)}>Play Black</button>
        <button type="button" class="primary" onClick={() => begin('O', fromHere)}>Play White</button>
      </p>
    </section>
  );
}

function Game({ mine }: { mine: Colour }) {
  const { error, again } = useReplies();
  const over = gameOver.value && ply.value === steps.value.length - 1;
  const { turn, passed } = here.value;
  const status = over ? resultOf(here.value.board)
    : `${passed ? `${colourName(other(turn))} passes. ` : ''}${turn === mine ? 'Your turn' : 'The book is thinking …'}`;
  return (
    <>
      <section class="card setup" aria-label="The game">
        <h1><span role="status">{status}</span></h1>
        <p class="quiet">You play {colourName(mine)}.{replied.value === 'engine' && ' The game has left the book: the engine plays on.'}</p>
        {error && <p role="alert">{error} <button type="button" class="link" onClick={again}>Try again</button></p>}
        <p class="buttons">
          <button type="button" aria-disabled={ply.value === 0} onClick={takeBackMine}>Take back</button>
          {ply.value < steps.value.length - 1 && <button type="button" onClick={() => goTo(steps.value.length - 1)}>To the last move</button>}
          <span class="space" />
          <button type="button" onClick={() => { side.value = null; }}>New game</button>
          <button type="button" class="primary" onClick={() => { page.value = 'board'; }}>Look at the values</button>
        </p>
      </section>
      <Line />
    </>
  );
}

export function PlayPage() {
  useLayoutEffect(() => {
    if (seed.value === 0) newSeed();
    hands.value = { choose: (square) => { if (side.value === null || here.value.turn === side.value) playMove(square); }, steps: true };
    return () => { hands.value = null; };
  }, []);
  return (
    <main class="boardpage">
      <BoardSide />
      <div class="beside">{side.value === null ? <Begin /> : <Game mine={side.value} />}</div>
    </main>
  );
}
