// Reading what a person types, pastes, drops or opens: positions, games, files.

import { batch } from '@preact/signals';
import { address, getJson, message, postBlob } from './api/client';
import type { Books, Games, Opened, Parsed } from './api/types';
import { readWritten, START, type Position } from './othello';
import { book, books, failure, game, notice, page, panel, showLine, source } from './state';

/** A line, and the game that it was read from. */
interface Read { readonly root: Position; readonly moves: readonly number[]; readonly game: typeof game.value }

const lineOf = ({ line, game: found }: Parsed): Read => ({ ...readWritten(line), game: found ? { ...found, line } : null });

/** The line that a text in any notation stands for, as the server reads it. */
export async function parsed(text: string): Promise<Read> {
  const asked = text.trim();
  if (asked === '') return { root: START, moves: [], game: null };
  return lineOf(await getJson<Parsed>(address(book.value, 'parse', { text: asked })));
}

/** A line with more moves than this is a game, whose mistakes one wants to see. */
const A_GAME = 30;

function show({ root, moves, game: found }: Read): void {
  batch(() => {
    page.value = 'board';
    showLine(root, moves);
    game.value = found;
    if (found || moves.length > A_GAME) panel.value = 'review';
    failure.value = null;
  });
}

/** Shows a game of a book: its review, or the position after some of its moves. */
export async function showGame(from: string, number: number, ply?: number): Promise<void> {
  const found = lineOf(await getJson<Parsed>(address(from, 'game', { number })));
  if (ply === undefined) return show(found);
  batch(() => {
    showLine(found.root, found.moves, Math.min(ply, found.moves.length));
    game.value = found.game;
  });
}

/** The most bytes that the server takes. */
const MOST = 32 << 20;

/** Lets the server read a book, which is then on the page, or games, which are listed beside the board. Returns what is wrong with them. */
export async function open(files: readonly File[]): Promise<string | null> {
  if (files.length === 0) return null;
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST) return 'Files may total 32 MiB. obook serve opens larger files.';
  const query = new URLSearchParams({ files: JSON.stringify(files.map(({ name, size }) => ({ name, bytes: size }))) });
  try {
    const { name, positions, faulty } = await postBlob<Opened>(`api/open?${query}`, new Blob([...files]));
    // The oldest of those that were opened may have gone.
    const { books: served } = await getJson<Books>('api/books');
    const isBook = positions > 0;
    batch(() => {
      books.value = served;
      page.value = 'board';
      if (isBook) book.value = name;
      else [source.value, panel.value] = [name, 'games'];
    });
    if (isBook) return null;
    const { games } = await getJson<Games>(address(name, 'games', { anywhere: 'true', limit: 2 }));
    if (games.length === 1) await showGame(name, games[0]!.game);
    if (faulty > 0) return `${faulty} ${faulty === 1 ? 'game has a faulty record' : 'games have faulty records'}; everything else was read.`;
    return null;
  } catch (error) {
    return message(error);
  }
}

/** Shows the line that a text in any notation stands for. Returns what is wrong with it. */
export async function read(text: string): Promise<string | null> {
  try {
    // A longer text is a file of games.
    if (text.length > 4000 && !SITE) return await open([new File([text], 'pasted')]);
    const found = await parsed(text);
    // Of many games one chooses from their list.
    if (found.game && found.game.of > 1) return await open([new File([text], 'pasted')]);
    show(found);
    return null;
  } catch (error) {
    return message(error);
  }
}

/** What is pasted or dropped is read, except in a field. */
export function listenToText(): void {
  const take = async (text: string): Promise<void> => { if (text.trim()) notice.value = await read(text); };
  const inField = (target: EventTarget | null): boolean => target instanceof Element && target.closest('input, textarea, .editor') !== null;
  addEventListener('paste', (event) => {
    if (!inField(event.target)) void take(event.clipboardData?.getData('text/plain') ?? '');
  });
  addEventListener('dragover', (event) => { if (!inField(event.target)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (inField(event.target)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) void take(event.dataTransfer?.getData('text/plain') ?? '');
    else if (SITE) void files[0]!.text().then(take);
    else void open(files).then((problem) => { notice.value = problem; });
  });
}
