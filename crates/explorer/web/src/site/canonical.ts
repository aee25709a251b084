// Keys of positions: the smallest of the eight images of a board, as in the database.

import { other, place, type Position } from '../othello';

/** For each of the eight orientations, where each square goes. */
const TURNED: readonly (readonly number[])[] = Array.from({ length: 8 }, (_, orientation) =>
  Array.from({ length: 64 }, (_, square) => {
    const { x, y } = place(square, orientation);
    return y * 8 + x;
  }));

/** A set of squares as 16 hexadecimal digits; a1 is the lowest bit. */
function digits(squares: readonly boolean[]): string {
  let text = '';
  for (let high = 63; high > 0; high -= 4) {
    const four = [0, 1, 2, 3].reduce((sum, low) => sum + (squares[high - low] ? 8 >> low : 0), 0);
    text += four.toString(16);
  }
  return text;
}

/** The key, and for each square of the canonical board the square of the given one. */
export function canonical({ board, turn }: Position): { key: string; back: readonly number[] } {
  let best: { key: string; back: readonly number[] } | null = null;
  for (const turned of TURNED) {
    const back: number[] = [];
    turned.forEach((to, from) => { back[to] = from; });
    const key = [turn, other(turn)].map((colour) => digits(back.map((square) => board[square] === colour))).join('');
    if (best === null || key < best.key) best = { key, back };
  }
  return best!;
}
