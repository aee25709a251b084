// The rules of Othello, just enough to move the discs before the server answers.

export type Colour = 'X' | 'O';

/** A board and the side to move. The board has 64 signs: X black, O white, - empty, a1 first. */
export interface Position {
  readonly board: string;
  readonly turn: Colour;
}

/** A position of a line, with the move that led to it. */
export interface Step extends Position {
  readonly move: number | null;
  readonly mover: Colour | null;
  readonly turned: readonly number[];
  /** The side whose turn it would be has no move, so that the other one moves. */
  readonly passed: boolean;
  readonly legal: readonly number[];
}

export const START: Position = {
  board: '---------------------------OX------XO---------------------------',
  turn: 'X',
};

const DIRECTIONS = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => [dx, dy] as const))
  .filter(([dx, dy]) => dx !== 0 || dy !== 0);

export const other = (colour: Colour): Colour => (colour === 'X' ? 'O' : 'X');
export const colourName = (colour: Colour): string => (colour === 'X' ? 'Black' : 'White');
export const squareName = (square: number): string => 'abcdefgh'.charAt(square % 8) + (Math.floor(square / 8) + 1);

export function squareIndex(name: string): number {
  const column = 'abcdefgh'.indexOf(name.charAt(0).toLowerCase());
  const row = Number(name.charAt(1)) - 1;
  return column >= 0 && row >= 0 && row < 8 ? row * 8 + column : -1;
}

/** The discs that a move would turn, nearest first; none if the move is illegal. */
export function turns(board: string, mover: Colour, square: number): number[] {
  if (board[square] !== '-') return [];
  const found: number[] = [];
  for (const [dx, dy] of DIRECTIONS) {
    const row: number[] = [];
    let x = (square % 8) + dx;
    let y = Math.floor(square / 8) + dy;
    while (x >= 0 && x < 8 && y >= 0 && y < 8 && board[y * 8 + x] === other(mover)) {
      row.push(y * 8 + x);
      x += dx;
      y += dy;
    }
    if (x >= 0 && x < 8 && y >= 0 && y < 8 && board[y * 8 + x] === mover) found.push(...row);
  }
  return found;
}

export function legalMoves({ board, turn }: Position): number[] {
  const found: number[] = [];
  for (let square = 0; square < 64; square++) if (turns(board, turn, square).length > 0) found.push(square);
  return found;
}

/** The side that moves on a board, and its moves. A side that has none passes at once if the other has one. */
function toMove(board: string, turn: Colour): Pick<Step, 'turn' | 'passed' | 'legal'> {
  const legal = legalMoves({ board, turn });
  const theirs = legal.length === 0 ? legalMoves({ board, turn: other(turn) }) : [];
  return theirs.length === 0 ? { turn, passed: false, legal } : { turn: other(turn), passed: true, legal: theirs };
}

/** The first step of a line. */
const firstStep = ({ board, turn }: Position): Step => ({ board, move: null, mover: null, turned: [], ...toMove(board, turn) });

/** Plays a move; null if it is illegal. A forced pass afterwards is part of the step. */
export function play(position: Position, move: number): Step | null {
  const turned = turns(position.board, position.turn, move);
  if (turned.length === 0) return null;
  const mover = position.turn;
  const squares = [...position.board];
  for (const square of [move, ...turned]) squares[square] = mover;
  const board = squares.join('');
  return { board, move, mover, turned, ...toMove(board, other(mover)) };
}

/** The steps of a line, up to its first illegal move. */
export function stepsOf(root: Position, moves: readonly number[]): Step[] {
  const found = [firstStep(root)];
  for (const move of moves) {
    const next = play(found[found.length - 1]!, move);
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** What the server is asked for: the line with its passes, after the board if it isn't the start. */
export function written(root: Position, steps: readonly Step[]): string {
  const board = root.board === START.board && root.turn === START.turn ? '' : `${root.board} ${root.turn} `;
  const line = steps.map(({ move, passed }) => (move === null ? '' : squareName(move)) + (passed ? 'pa' : ''));
  return (board + line.join('')).trim();
}

export const count = (board: string, colour: Colour): number => [...board].filter((sign) => sign === colour).length;

/** Splits `f5D6pa` into squares; passes are dropped, because they are implied. Null if it isn't a line. */
export function parseMoves(text: string): number[] | null {
  const compact = text.replace(/\s+/g, '').toLowerCase();
  if (!/^([a-h][1-8]|pa|ps|--)*$/.test(compact)) return null;
  const names = compact.match(/../g) ?? [];
  return names.map(squareIndex).filter((square) => square >= 0);
}

/** A position from 64 signs and a side, or null. */
export function parseBoard(text: string): Position | null {
  const found = /^([XO-]{64})\s*([XO])$/.exec(text);
  return found ? { board: found[1]!, turn: found[2] as Colour } : null;
}

/** A line as the server writes it: moves, perhaps after a board. */
export function readWritten(line: string): { root: Position; moves: readonly number[] } {
  const [, board = '', list = ''] = /^([XO-]{64} [XO])?\s*(.*)$/.exec(line) ?? [];
  return { root: parseBoard(board) ?? START, moves: parseMoves(list) ?? [] };
}

/** The eight ways to look at a board: where on the screen a square is drawn. */
export function place(square: number, orientation: number): { x: number; y: number } {
  let x = square % 8;
  let y = Math.floor(square / 8);
  if (orientation & 4) x = 7 - x;
  for (let turn = 0; turn < (orientation & 3); turn++) [x, y] = [7 - y, x];
  return { x, y };
}
