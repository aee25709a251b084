// Answers without a server: from the files beside the page. They are scripts, because a page that was
// opened from the disk can load nothing else.

import type { Answer, BookEntry, Info, Move, NearBest, Repertoire, ValuedOpening } from '../api/types';
import { other, parseMoves, play, readWritten, squareIndex, squareName, stepsOf, type Position, type Step } from '../othello';
import { canonical } from './canonical';

/** What book.js holds. */
interface Book {
  readonly obook: string;
  readonly entry: BookEntry;
  /** The number of files with positions. */
  readonly parts: number;
  readonly info: Info;
  readonly repertoire: Repertoire;
  readonly frontier: NearBest;
  readonly worst: NearBest;
  readonly openings: readonly ValuedOpening[];
  readonly plots: Readonly<Record<string, string>>;
}

// A folder on a web host stays readable without a network. Where there is no such service, it is read as before.
if (location.protocol.startsWith('http')) navigator.serviceWorker?.register('sw.js').catch(() => {});

/** A position as a file holds it: in the orientation of its key, without what follows from the line. */
type Stored = Omit<Answer, 'line' | 'board' | 'turn' | 'ply' | 'key' | 'opening'>;

const arrived = new Map<string, unknown>();
const awaited = new Map<string, Promise<unknown>>();
Object.assign(globalThis, { obook: (name: string, data: unknown): void => { arrived.set(name, data); } });

function load<T>(name: string): Promise<T> {
  const known = awaited.get(name);
  if (known) return known as Promise<T>;
  const loading = new Promise<T>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${name}.js`;
    script.onload = () => (arrived.has(name) ? resolve(arrived.get(name) as T) : reject(new Error(name)));
    script.onerror = () => { awaited.delete(name); reject(new Error(name)); };
    document.head.append(script);
  });
  awaited.set(name, loading);
  return loading;
}

/** The file of a position, by a hash of its key: FNV-1a, as in site.rs. */
function partOf(key: string, parts: number): string {
  let hash = 0x811c9dc5;
  for (const digit of key) hash = Math.imul(hash ^ digit.charCodeAt(0), 0x01000193) >>> 0;
  return `positions-${(hash % parts).toString(16).padStart(4, '0')}`;
}

const storedAt = async (key: string, parts: number): Promise<Stored | undefined> =>
  (await load<Record<string, Stored>>(partOf(key, parts)))[key];

let named: ReadonlyMap<string, ValuedOpening> | null = null;

/** The opening that a line reached last. */
function openingOf(steps: readonly Step[], openings: readonly ValuedOpening[]): ValuedOpening | undefined {
  named ??= new Map(openings.map((opening) => {
    const { root, moves } = readWritten(opening.line);
    return [canonical(stepsOf(root, moves).at(-1)!).key, opening];
  }));
  for (const step of [...steps].reverse()) {
    const found = named.get(canonical(step).key);
    if (found) return found;
  }
  return undefined;
}

/** The position after a legal move, with the other side to move. */
const next = (step: Step, square: number): Position => ({ board: play(step, square)!.board, turn: other(step.turn) });

async function position(at: string): Promise<Answer> {
  const book = await load<Book>('book');
  const { root, moves } = readWritten(at);
  const steps = stepsOf(root, moves);
  const here = steps.at(-1)!;
  const { key, back } = canonical(here);
  const stored = await storedAt(key, book.parts);
  const opening = openingOf(steps, book.openings);
  const empties = [...here.board].filter((sign) => sign === '-').length;
  const about = {
    key, empties, line: at, board: `${here.board} ${here.turn}`, turn: here.turn === 'X' ? 'black' as const : 'white' as const,
    ply: 60 - empties, ...(opening ? { opening } : {}),
  };
  if (!stored) {
    const unknown = (square: number): Move => ({ square: squareName(square), path_dependent: false, proven: false, child: canonical(next(here, square)).key });
    // The score of a pass that leads out of the book is the value of the position after it.
    const before = here.passed ? await storedAt(canonical({ board: here.board, turn: other(here.turn) }).key, book.parts) : undefined;
    const pass = before?.moves.find(({ kind }) => kind === 'leaf');
    const value = pass?.score == null ? {} : { value: -pass.score, level: pass.level ?? null, engine: pass.engine ?? null };
    return { ...about, ...value, in_book: false, path_dependent: false, moves: here.legal.map(unknown), best: [], parents: 0 };
  }
  const turned = <T extends { readonly square: string }>(move: T): T =>
    (move.square === 'pa' ? move : { ...move, square: squareName(back[squareIndex(move.square)]!) });
  return { ...stored, ...about, moves: stored.moves.map(turned), best: stored.best.map(turned) };
}

/** Moves, a board, or the name of an opening as a line. Null if it is none of them. */
function parse(text: string, openings: readonly ValuedOpening[]): string | null {
  const line = text.trim().replace(/\s+/g, ' ');
  const { root, moves } = readWritten(line);
  const isWritten = parseMoves(line.replace(/^[XO-]{64} [XO]/, '')) !== null;
  if (isWritten && stepsOf(root, moves).length === moves.length + 1) return line;
  const name = line.toLowerCase();
  return openings.find((opening) => opening.name.toLowerCase() === name || opening.japanese === line)?.line ?? null;
}

const contains = (name: string | null | undefined, part: string): boolean => name?.toLowerCase().includes(part.toLowerCase()) ?? false;

async function answerTo(path: string, query: URLSearchParams): Promise<unknown> {
  const book = await load<Book>('book');
  const asked = path.split('/').slice(2).join('/');
  if (path === 'api/books') return { obook: book.obook, books: [book.entry], writable: false };
  if (asked === 'position') return position(query.get('at') ?? '');
  if (asked === 'repertoire') return book.repertoire;
  if (asked === 'info') return book.info;
  if (asked === 'frontier') return book.frontier;
  if (asked === 'worst') return book.worst;
  if (asked === 'openings') {
    const part = query.get('search') ?? '';
    return { openings: book.openings.filter(({ name, japanese }) => contains(name, part) || contains(japanese, part)) };
  }
  if (asked === 'parse') {
    const line = parse(query.get('text') ?? '', book.openings);
    if (line !== null) return { line };
  }
  return null;
}

export async function send(url: string): Promise<Response> {
  const { pathname, search, searchParams } = new URL(url, 'http://site/');
  const path = decodeURIComponent(pathname.slice(1));
  const plot = /\/plot\/(\w+)\.svg$/.exec(path)?.[1];
  if (plot && search === '') {
    const picture = (await load<Book>('book')).plots[plot];
    if (picture) return new Response(picture);
  }
  const found = await answerTo(path, searchParams);
  if (found !== null) return new Response(JSON.stringify(found));
  const error = 'expected moves such as f5d6c3, a board, or the name of an opening';
  return new Response(JSON.stringify({ ok: false, error, status: 400 }), { status: 400 });
}
