// The positions that a repertoire asks about: one's own side plays the book's move, the other side any
// move that loses little; or those with moves that a person marked.

import type { Mark } from '../api/types';
import { parseMoves, squareIndex, START, stepsOf, written, type Colour } from '../othello';
import { positionAt, rank } from '../state';

export interface Repertoire {
  /** The moves of the opening. */
  readonly opening: readonly number[];
  readonly colour: Colour;
  /** What the other side's moves may lose, each in discs. */
  readonly loss: number;
  /** Moves after the opening, of both sides. */
  readonly depth: number;
}

export interface Question {
  readonly key: string;
  readonly moves: readonly number[];
  /** The line as the server is asked. */
  readonly line: string;
  /** The squares of the best moves. */
  readonly answers: readonly string[];
}

/** The most questions of a repertoire. */
export const MOST = 500;

/** Follows the book from the opening, in the order of plies. Each position is asked about once. */
export async function questions({ opening, colour, loss, depth }: Repertoire, signal: AbortSignal): Promise<Question[]> {
  const found: Question[] = [];
  const seen = new Set<string>();
  let lines: (readonly number[])[] = [opening];
  for (let ply = 0; ply < depth && lines.length > 0; ply++) {
    const next: (readonly number[])[] = [];
    for (const moves of lines) {
      const steps = stepsOf(START, moves);
      const here = steps[steps.length - 1]!;
      const line = written(START, steps);
      const { key, in_book: known, moves: all } = await positionAt(line, signal);
      if (!known || seen.has(key)) continue;
      seen.add(key);
      const scored = rank(all).filter(({ score, square }) => score != null && square !== 'pa');
      const best = scored[0]?.score;
      if (best == null) continue;
      const mine = here.turn === colour;
      if (mine && here.legal.length > 1) {
        const answers = scored.filter(({ score }) => score === best).map(({ square }) => square);
        found.push({ key, moves, line, answers });
        if (found.length === MOST) return found;
      }
      const followed = mine ? scored.slice(0, 1) : scored.filter(({ score }) => score! >= best - loss);
      for (const { square, kind } of followed) if (kind === 'link') next.push([...moves, squareIndex(square)]);
    }
    lines = next;
  }
  return found;
}

/** The positions with marked moves, which are the answers there, in the order of plies. */
export async function marked(marks: readonly Mark[]): Promise<Question[]> {
  const found = new Map<string, Question>();
  const children = new Set(marks.map(({ key, child }) => key + child));
  for (const { key, line } of [...marks].sort((a, b) => a.line.length - b.line.length || (a.line < b.line ? -1 : 1))) {
    if (found.has(key) || found.size === MOST) continue;
    const before = line.slice(0, -2);
    const answers = (await positionAt(before)).moves.filter(({ child }) => children.has(key + child)).map(({ square }) => square);
    found.set(key, { key, line: before, moves: parseMoves(before) ?? [], answers });
  }
  return [...found.values()];
}
