// A person's moves and notes: in the book where the page can change it, else in this browser.

import { computed, effect, signal } from '@preact/signals';
import { address, getJson, isAbort, message, postJson } from './api/client';
import type { Answer, Kept, Mark, Note, Repertoire } from './api/types';
import { exportOf, kept } from './kept';
import { squareName } from './othello';
import { answer, book, books, fromStart, moves, place, ply, positionAt, stale, steps, version, writable } from './state';
import { making } from './watch';

const NOTHING: Repertoire = { marks: [], notes: [] };
/** The most marks or notes, and the longest note. */
const MOST = 10_000;
export const LONGEST = 1000;

const isText = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;
const isKey = (value: unknown): value is string => isText(value, 32) && /^[0-9a-f]{32}$/.test(value);
const isMark = ({ line, side, key, child }: Mark): boolean => isText(line, 300) && line.length > 1 && (side === 'black' || side === 'white') && isKey(key) && isKey(child);
const isNote = ({ line, key, note }: Note): boolean => isText(line, 300) && isKey(key) && isText(note, LONGEST);

/** A repertoire from anywhere, or null if it isn’t one. */
function readRepertoire(value: unknown): Repertoire | null {
  const { marks, notes } = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(marks) || !Array.isArray(notes) || marks.length > MOST || notes.length > MOST) return null;
  const fits = [...marks, ...notes].every((row) => typeof row === 'object' && row !== null) && marks.every(isMark) && notes.every(isNote);
  return fits ? { marks, notes } : null;
}

/** What this browser keeps, by book. */
const own = kept<Readonly<Record<string, Repertoire>>>('repertoires', {}, (value) => {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).flatMap(([name, found]) => { const read = readRepertoire(found); return read ? [[name, read]] : []; }));
});
const ownHere = computed(() => own.value[book.value] ?? NOTHING);

/** What the book has. */
const stored = signal<{ readonly of: string; readonly found: Repertoire }>({ of: '', found: NOTHING });
/** Why it can’t be read. */
export const unreadable = signal<string | null>(null);
effect(() => {
  void version.value;
  const of = book.value;
  if (of === '') return;
  const control = new AbortController();
  getJson<Repertoire>(address(of, 'repertoire'), control.signal).then(
    (found) => { stored.value = { of, found }; unreadable.value = null; },
    (error: unknown) => { if (!isAbort(error)) unreadable.value = message(error); },
  );
  return () => control.abort();
});
const storedHere = computed(() => (stored.value.of === book.value ? stored.value.found : NOTHING));

/** Whether changes of a book go into it. */
const goesInto = (name: string): boolean => writable.value && !books.value.find((known) => known.name === name)?.copied;
/** Whether changes go into the book that is shown. */
export const inBook = computed(() => goesInto(book.value));

const of = ({ key, child }: Pick<Mark, 'key' | 'child'>): string => key + child;
/** Without the marks and notes of another one at the same places. */
const without = ({ marks, notes }: Repertoire, other: Repertoire): Repertoire => {
  const [places, keys] = [new Set(other.marks.map(of)), new Set(other.notes.map(({ key }) => key))];
  return { marks: marks.filter((mark) => !places.has(of(mark))), notes: notes.filter(({ key }) => !keys.has(key)) };
};
const both = (one: Repertoire, other: Repertoire): Repertoire => ({ marks: [...one.marks, ...other.marks], notes: [...one.notes, ...other.notes] });

/** All that is kept for this book. */
export const repertoire = computed<Repertoire>(() => both(without(storedHere.value, ownHere.value), ownHere.value));
const places = computed(() => new Set(repertoire.value.marks.map(of)));
/** The marked moves of the position on the board. */
export const mine = computed<ReadonlySet<string>>(() => {
  const found = stale.value ? null : answer.value;
  return new Set(found?.moves.filter(({ child }) => places.value.has(found.key + child)).map(({ square }) => square));
});
/** The note at the position on the board. */
export const note = computed(() => (stale.value ? undefined : repertoire.value.notes.find(({ key }) => key === answer.value?.key)?.note));

/** Whether moves can be marked here: a repertoire begins at the start. */
export const canMark = fromStart;
/** A move of a position as a mark. */
export function markOf({ line, turn, key, moves: known }: Answer, square: string): Mark[] {
  const child = known.find((move) => move.square === square)?.child;
  return child ? [{ line: line + square, side: turn, key, child }] : [];
}
/** The moves of a side on the line up to the position on the board; of both sides only the last one if none is given. */
export async function played(side?: Mark['side']): Promise<Mark[]> {
  const shown = moves.value.slice(0, ply.value).map((move, index) => ({ at: place(index), square: squareName(move), by: steps.value[index]!.turn }));
  const wanted = side ? shown.filter(({ by }) => (by === 'X') === (side === 'black')) : shown.slice(-1);
  // One may walk on meanwhile.
  return (await Promise.all(wanted.map(async ({ at, square }) => markOf(await positionAt(at), square)))).flat();
}

/** From how many marks and notes to how many a request has. */
const PART = { marks: 300, notes: 15 };

/** Keeps marks and notes; an empty note goes. */
export async function keep(added: Repertoire, removed: readonly Mark[] = [], name = book.value): Promise<void> {
  const before = own.value[name] ?? NOTHING;
  const rest = without(before, both(added, { marks: [...removed], notes: [] }));
  if (!goesInto(name)) {
    const places = new Set(storedHere.value.marks.map(of));
    if (removed.some((mark) => places.has(of(mark)))) throw new Error('This mark is in the book. obook serve --write can change it.');
    const next = both(rest, { marks: added.marks, notes: added.notes.filter((row) => row.note !== '') });
    if (next.marks.length > MOST || next.notes.length > MOST) throw new Error(`A browser keeps at most ${MOST} marks and notes.`);
    own.value = { ...own.value, [name]: next };
    return;
  }
  const lines = (marks: readonly Mark[], from: number): string[] => marks.slice(from * PART.marks, (from + 1) * PART.marks).map(({ line }) => line);
  const count = Math.max(Math.ceil(Math.max(added.marks.length, removed.length) / PART.marks), Math.ceil(added.notes.length / PART.notes));
  for (let part = 0; part < count; part++) {
    const notes = added.notes.slice(part * PART.notes, (part + 1) * PART.notes).map((row) => ({ at: row.line, note: row.note }));
    await making(() => postJson<Kept>(address(name, 'repertoire'), { mark: lines(added.marks, part), unmark: lines(removed, part), notes }));
  }
  if (rest.marks.length + rest.notes.length < before.marks.length + before.notes.length) own.value = { ...own.value, [name]: rest };
}

/** Marks these moves, or unmarks them if all are marked. */
export async function toggle(marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  const added = marks.filter((mark) => !places.value.has(of(mark)));
  await keep({ marks: added, notes: [] }, added.length === 0 ? marks : []);
}

/** The text of a file with the repertoire. */
export const exported = (): string => `${JSON.stringify({ obook: 'repertoire', ...repertoire.value }, null, 1)}\n`;
/** Reads such a text; null if it isn’t one. */
export const imported = (text: string): Repertoire | null => readRepertoire(exportOf(text, 'repertoire'));
