// The state of the page: the book, the line, the place in it, and the server's answer.

import { batch, computed, effect, signal } from '@preact/signals';
import { address, getJson, isAbort, message } from './api/client';
import type { Answer, BookEntry, Hint, HintMove, Move, ParsedGame, Review, ReviewedMove, Transpositions } from './api/types';
import { colourName, legalMoves, readWritten, squareIndex, squareName, START, stepsOf, turns, written, type Colour, type Position, type Step } from './othello';

export type Page = 'board' | 'play' | 'train' | 'book' | 'sql';
/** The pages; those that ask the server for more than the book holds are not part of a site. */
export const PAGES: readonly Page[] = SITE ? ['board', 'train', 'book'] : ['board', 'play', 'train', 'book', 'sql'];
export type Panel = 'games' | 'why' | 'parents' | 'hint' | 'review' | 'repertoire' | 'compare' | 'edit';
export type Sheet = 'keys' | 'input' | 'openings' | 'share' | null;

export const books = signal<readonly BookEntry[]>([]);
/** The name of the games that were opened, which are then listed beside the board; null: those of the book through the position. */
export const source = signal<string | null>(null);
/** Whether the server lets the page change its books. */
export const writable = signal(false);
export const book = signal('');
export const page = signal<Page>('board');
export const panel = signal<Panel>('games');
export const sheet = signal<Sheet>(null);
export const root = signal<Position>(START);
export const moves = signal<readonly number[]>([]);
export const ply = signal(0);
export const orientation = signal(0);
export const showValues = signal(true);
/** Whether the values are on the board; on the other pages with a board they are hidden until `revealed`. */
export const revealed = signal(false);
export const valuesShown = computed(() => (page.value === 'board' ? showValues.value : revealed.value));
/** What else than playing on happens to a chosen square, and whether the line can be stepped through. */
export const hands = signal<{ readonly choose: (square: number) => void; readonly steps: boolean } | null>(null);
/** The side that the person plays; null if there is no game. */
export const side = signal<Colour | null>(null);
export const hovered = signal<number | null>(null);
export const editing = signal(false);
/** The text of the SQL page that the address carries. */
export const sqlText = signal('');
/** Said politely to screen readers. */
export const announcement = signal('');
export const notice = signal<string | null>(null);
export const failure = signal<string | null>(null);

/** Whether the line begins at the start position. */
export const fromStart = computed(() => root.value.board === START.board && root.value.turn === START.turn);
/** Every position of the line, the positions after the shown one too. */
export const steps = computed<readonly Step[]>(() => stepsOf(root.value, moves.value));
export const here = computed(() => steps.value[Math.min(ply.value, steps.value.length - 1)]!);
export const nextMove = computed(() => steps.value[ply.value + 1]?.move ?? null);
export const entry = computed(() => books.value.find(({ name }) => name === book.value) ?? null);

/** The line up to a ply, as people write it, without passes. */
export const transcript = (upTo: number = ply.value): string => moves.value.slice(0, upTo).map(squareName).join('');

/** What the server is asked for: the line up to a ply. */
export const place = (upTo: number): string => written(root.value, steps.value.slice(0, upTo + 1));
export const at = computed(() => place(ply.value));

// Answers, by book and place. They are dropped when the book changes.
const cache = new Map<string, Answer>();
export const version = signal(0);
export const answer = signal<Answer | null>(null);
/** The answer on the page belongs to another position, and a new one is on its way. */
export const stale = signal(false);

export async function positionAt(where: string, signal?: AbortSignal, of = book.value, games: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const url = address(of, 'position', { at: where, ...games });
  const known = cache.get(url);
  if (known) return known;
  const found = await getJson<Answer>(url, signal);
  if (cache.size > 2000) cache.clear();
  cache.set(url, found);
  return found;
}

export function forget(): void {
  cache.clear();
  version.value++;
}

let request: AbortController | null = null;
effect(() => {
  const where = at.value;
  void version.value;
  if (book.value === '') return;
  request?.abort();
  const mine = (request = new AbortController());
  stale.value = true;
  positionAt(where, mine.signal).then(
    (found) => {
      if (mine !== request) return;
      batch(() => {
        answer.value = found;
        stale.value = false;
        failure.value = null;
      });
    },
    (error: unknown) => {
      if (isAbort(error) || mine !== request) return;
      batch(() => {
        answer.value = null;
        stale.value = false;
        failure.value = message(error);
      });
    },
  );
});

/** A book beside the one on the page, or the games of a player in one. */
export interface Second { readonly book: string; readonly player: string; readonly as: 'player' | 'black' | 'white' }
const chosen = signal<Second | null>(null);
export const second = computed(() => (chosen.value?.player || chosen.value?.book !== book.value ? chosen.value : null));
/** What it says about the position on the board. */
export const beside = signal<Answer | null>(null);
/** Why it says nothing. */
export const besideFailure = signal<string | null>(null);
effect(() => {
  const [from, where] = [second.value, at.value];
  void version.value;
  beside.value = besideFailure.value = null;
  if (from === null || page.value !== 'board') return;
  const control = new AbortController();
  positionAt(where, control.signal, from.book, from.player ? { [from.as]: from.player } : {}).then(
    (found) => { beside.value = found; },
    (error: unknown) => { if (!isAbort(error)) besideFailure.value = message(error); },
  );
  return () => control.abort();
});
/** Puts another source beside the book: differences come first. */
export function compare(next: Second | null): void {
  batch(() => {
    chosen.value = next;
    order.value = { by: next === null ? 'score' : next.player ? 'games' : 'second', descending: true };
  });
}
/** Its moves; their scores only if it is another book. */
const besides = computed<ReadonlyMap<string, Move>>(() => new Map(beside.value?.moves.map((move) => [move.square, second.value?.book === book.value ? { ...move, score: null } : move])));
/** How a move differs from what the second source says: by discs, or because one of them doesn’t know it. */
const difference = ({ square, score }: Move): number => {
  const theirs = besides.value.get(square)?.score;
  return score != null && theirs != null ? Math.abs(score - theirs) : score != null || theirs != null ? 0.5 : -1;
};
/** A player’s games, or those of the second source if the book has none, instead of the book’s. */
const withGames = (move: Move): Move => {
  const theirs = besides.value.get(move.square)?.games;
  return second.value?.player || (!entry.value?.games && theirs) ? { ...move, games: theirs ?? null } : move;
};
/** Without the moves that the symmetry of the board makes the same as others: they have the same games. */
export const distinct = (list: readonly Move[]): Move[] => list.filter(({ child }, index) => list.findIndex((other) => other.child === child) === index);

/** What the second source says about a move: its score, or its share of a player’s games. */
export function besideOf(square: string): string | null {
  const move = besides.value.get(square);
  if (move?.score != null) return signed(move.score);
  const all = distinct([...besides.value.values()]).reduce((sum, { games }) => sum + (games?.move ?? 0), 0);
  return move?.games ? `${Math.round((100 * move.games.move) / all)}%` : null;
}

/** For moves of the position on the board: from how many positions the book leads to where they lead, if from several. */
export const transpositions = signal<ReadonlyMap<string, number>>(new Map());
effect(() => {
  const found = stale.value ? null : answer.value;
  transpositions.value = new Map();
  if (SITE || page.value !== 'board' || !found?.in_book) return;
  // It takes longer than the moves themselves, and waits until one stays on a position.
  const control = new AbortController();
  const timer = setTimeout(() => {
    getJson<Transpositions>(address(book.peek(), 'transpositions', { at: at.peek() }), control.signal).then(
      ({ moves: list }) => { transpositions.value = new Map(list.filter(({ parents }) => parents > 1).map(({ square, parents }) => [square, parents])); },
      () => { /* Without the marks nothing is wrong. */ },
    );
  }, 400);
  return () => { clearTimeout(timer); control.abort(); };
});

/** What the engine has found, by place: it doesn’t depend on the book. */
export const hints = signal<ReadonlyMap<string, Hint>>(new Map());
/** What it has found for the position on the board page. */
export const hint = computed(() => (page.value === 'board' ? (hints.value.get(at.value) ?? null) : null));
export const hinted = computed<ReadonlyMap<string, HintMove>>(() => new Map(hint.value?.moves.map((move) => [move.square, move])));
/** Whether the book has no value here, neither of the position nor of a move. */
export const isBeyond = computed(() => !stale.value && answer.value != null && answer.value.value == null && answer.value.moves.every(({ score }) => score == null));

/** The moves of the answer, if it belongs to the position on the board. */
export const bookMoves = computed<readonly Move[]>(() => (stale.value ? [] : (answer.value?.moves ?? []).map(withGames)));
/** Known moves, best first; moves with equal scores stay in the order of the server. */
const ranked = computed(() => rank((answer.value?.moves ?? []).map(withGames)));
export const rank = (list: readonly Move[]): Move[] =>
  [...list].sort((a, b) => (b.score ?? -100) - (a.score ?? -100));

export type Column = 'move' | 'score' | 'second' | 'level' | 'lines' | 'games' | 'mean';
/** How the table of moves is sorted. */
export const order = signal<{ by: Column; descending: boolean }>({ by: 'score', descending: true });
const measure: Record<Column, (move: Move) => number | string> = {
  move: ({ square }) => square,
  // What only the engine knows comes after what the book knows.
  score: ({ score, square }) => score ?? (hinted.value.get(square)?.score ?? -100) - 200,
  second: (move) => (second.value ? difference(move) : measure.score(move)),
  level: ({ level, proven }) => (proven ? 100 : (level ?? -1)),
  lines: ({ lines }) => lines?.all ?? -1,
  games: ({ games }) => games?.move ?? -1,
  mean: ({ games }) => games?.mean ?? -100,
};
/** The moves as the table sorts them. */
export const rankedShown = computed(() => {
  // While values are hidden, the order must not give them away.
  const told = !showValues.value && ['score', 'second', 'level', 'lines'].includes(order.value.by);
  const { by, descending } = told ? { by: 'move' as const, descending: false } : order.value;
  const of = measure[by];
  const sign = descending ? -1 : 1;
  return [...ranked.value].filter(({ square }) => square !== 'pa').sort((a, b) => sign * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
});
/** Those of which something is known. */
export const knownMoves = computed(() =>
  rankedShown.value.filter(({ score, games, square }) => score != null || games || hinted.value.has(square) || besideOf(square) !== null));
/** Whether the table has the others, too. */
export const withUnknown = signal(false);
/** The rows of the table, which the keys 1 to 9 play. */
export const movesShown = computed(() =>
  withUnknown.value || !showValues.value || knownMoves.value.length === 0 ? rankedShown.value : knownMoves.value);

export const signed = (value: number | null | undefined): string =>
  value == null ? '' : value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0';

function describe(step: Step): string {
  if (step.move === null) return 'Start of the line.';
  const turned = `turned ${step.turned.length}`;
  const next = step.legal.length === 0 ? 'The game is over' : `${colourName(step.turn)} to move`;
  const pass = step.passed ? `${colourName(step.turn === 'X' ? 'O' : 'X')} passes, ` : '';
  return `${colourName(step.mover!)} ${squareName(step.move)}, ${turned}. ${pass}${next}.`;
}

effect(() => { announcement.value = describe(here.value); });

/** Shows another ply of the line. */
export function goTo(target: number): void {
  const bounded = Math.max(0, Math.min(target, steps.value.length - 1));
  if (bounded === ply.value) return;
  batch(() => {
    ply.value = bounded;
    hovered.value = null;
  });
}

/** The lines from this root that were left for another move, latest last. */
export const variations = signal<readonly (readonly number[])[]>([]);
const MOST_VARIATIONS = 8;

/** The number of moves that two lines have in common. */
export function shared(line: readonly number[], other: readonly number[]): number {
  let count = 0;
  while (count < line.length && line[count] === other[count]) count++;
  return count;
}

/** Keeps the line on the board before another one takes its place, if that leaves more than its last move behind. */
function keepLine(next: readonly number[]): void {
  const line = moves.value;
  const isIn = (one: readonly number[], other: readonly number[]): boolean => shared(one, other) === one.length;
  if (line.length - shared(line, next) < 2 || variations.value.some((known) => isIn(line, known))) return;
  variations.value = [...variations.value.filter((known) => !isIn(known, line)), line].slice(-MOST_VARIATIONS);
}

/** Plays a move from the position on the board. The rest of the line stays if the move is its next one. */
export function playMove(square: number): boolean {
  if (turns(here.value.board, here.value.turn, square).length === 0) return false;
  batch(() => {
    if (nextMove.value !== square) {
      const next = [...moves.value.slice(0, ply.value), square];
      if (page.value === 'board') keepLine(next);
      moves.value = next;
    }
    ply.value += 1;
    hovered.value = null;
  });
  return true;
}

/** Replaces the whole line. */
export function showLine(position: Position, line: readonly number[], shown = line.length): void {
  batch(() => {
    const same = position.board === root.value.board && position.turn === root.value.turn;
    if (!same || page.value !== 'board') variations.value = [];
    else keepLine(line);
    root.value = position;
    moves.value = line;
    ply.value = Math.min(shown, steps.value.length - 1);
    hovered.value = null;
  });
}

export function takeBack(): void {
  if (ply.value === 0) return;
  batch(() => {
    moves.value = moves.value.slice(0, ply.value - 1);
    ply.value -= 1;
  });
}

export function playBest(): void {
  const best = ranked.value.find(({ score }) => score != null) ?? hint.value?.moves[0];
  if (best && !stale.value) playMove(squareIndex(best.square));
}

export function playMostPlayed(): void {
  const [most] = [...bookMoves.value].filter(({ games }) => games && games.move > 0)
    .sort((a, b) => (b.games?.move ?? 0) - (a.games?.move ?? 0));
  if (most) playMove(squareIndex(most.square));
}

/** Replaces the last move by the next better or worse one of the same position. */
export async function sibling(step: 1 | -1): Promise<void> {
  if (ply.value === 0) return;
  const from = ply.value - 1;
  const parent = steps.value[from]!;
  const known = rank((await positionAt(place(from))).moves).map(({ square }) => squareIndex(square));
  const order = [...known, ...parent.legal.filter((square) => !known.includes(square))];
  const next = order[order.indexOf(moves.value[from]!) + step];
  if (next === undefined) return;
  showLine(root.value, [...moves.value.slice(0, from), next]);
}

/** Goes to the next or previous place where the line did not take the book's best move. */
export async function turningPoint(step: 1 | -1): Promise<void> {
  const last = steps.value.length - 1;
  for (let target = ply.value + step; target >= 0 && target < last; target += step) {
    const found = await positionAt(place(target));
    const played = found.moves.find(({ square }) => squareIndex(square) === moves.value[target]);
    if (found.value != null && (played?.score ?? -100) < found.value) return goTo(target);
  }
  goTo(step > 0 ? last : 0);
}

/** The game that the line was read from, until it is closed, and its moves as the server writes them. */
export const game = signal<(ParsedGame & { readonly line: string }) | null>(null);
/** Whether its moves are those of the line, and not those of another one that was played since. */
export const isGame = computed(() => game.value?.line === place(steps.value.length - 1));

/** The review of the line, while its panel is open. */
export const review = signal<Review | null>(null);
/** Whether its searches are running. */
export const reviewing = signal(false);
/** The moves of the line as the review judges them, without passes. */
export const judged = computed<readonly ReviewedMove[]>(() => {
  const found = (review.value?.moves ?? []).filter(({ square }) => square !== 'pa');
  return found.every(({ square }, index) => moves.value[index] === squareIndex(square)) ? found : [];
});
export const isMistake = ({ loss }: { readonly loss: number }): boolean => loss > 2;
/** What stands behind a costly move. */
export const markOf = (loss: number): string => (loss > 6 ? '??' : loss > 2 ? '?' : '');
/** What the review says of the move that the line makes next, if it is a mistake. The best move is that move itself if a search saw too
 * late what it costs. */
export const mistakeHere = computed(() => {
  const next = judged.value[ply.value];
  return next && isMistake(next) ? next : null;
});

/** Goes to the position before the next mistake; after the last one, to the first. */
export function nextMistake(): void {
  const mistakes = judged.value.flatMap((move, index) => (isMistake(move) ? [index] : []));
  const next = mistakes.find((index) => index > ply.value) ?? mistakes[0];
  if (next !== undefined) goTo(next);
}

/** Shows a line as the server writes it. */
export function showWritten(line: string): void {
  const { root: position, moves: list } = readWritten(line);
  batch(() => {
    page.value = 'board';
    showLine(position, list);
  });
}

export const gameOver = computed(() => legalMoves(here.value).length === 0);
