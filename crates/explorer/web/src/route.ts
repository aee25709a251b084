// The address of what the page shows: `#/BOOK/f5d6c3?o=3`, `#/BOOK/play?as=black&m=f5d6`, `#/BOOK/train`,
// `#/BOOK/book`, `#/BOOK/sql?q=…`. A set-up board stands in `b`. On the board page each move is an entry
// of the browser's history, so that Back takes a move back.

import { batch, effect, untracked } from '@preact/signals';
import { book, books, editing, fromStart, moves, notice, orientation, page, PAGES, ply, root, showLine, side, sqlText, transcript } from './state';
import { parseBoard, parseMoves, squareName, START, stepsOf, type Position } from './othello';

const OTHERS = PAGES.filter((other) => other !== 'board');

function written(): string {
  const query = new URLSearchParams();
  if (page.value === 'play' && side.value) {
    query.set('as', side.value === 'X' ? 'black' : 'white');
    if (moves.value.length > 0) query.set('m', transcript(moves.value.length));
  }
  if (page.value === 'board' || (page.value === 'play' && side.value)) {
    if (!fromStart.value) query.set('b', root.value.board + root.value.turn);
    if (orientation.value !== 0) query.set('o', String(orientation.value));
  }
  if (page.value === 'sql' && sqlText.value) query.set('q', sqlText.value);
  const text = query.toString();
  const place = page.value === 'board' ? transcript() : page.value;
  return `#/${encodeURIComponent(book.value)}/${place}${text && `?${text}`}`;
}

/** The address of the board as it is, to send to somebody. */
export const shareLink = (): string => new URL(written(), location.href).href;

/** A part of the address; nothing if it is not well formed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** A part of a link as a notice quotes it. */
const quoted = (text: string): string => `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;

/** The position and the line of a link, and what of it can’t be shown. */
function lineOf(board: string, place: string): { position: Position; line: readonly number[]; wrong: string | null } {
  const position = board === '' ? START : parseBoard(board);
  if (position === null) return { position: START, line: [], wrong: `${quoted(board)} is no board: this is the start position.` };
  const list = parseMoves(place);
  if (list === null) return { position, line: [], wrong: `${quoted(place)} is neither a page nor a line of moves.` };
  const line = list.slice(0, stepsOf(position, list).length - 1);
  const next = list[line.length];
  return { position, line, wrong: next === undefined ? null : `${squareName(next)} is no legal move here: the rest of the link is left out.` };
}

function read(): void {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', place = ''] = path.split('/').map(decoded);
  const parameters = new URLSearchParams(query);
  batch(() => {
    editing.value = false;
    book.value = books.value.some((known) => known.name === name) ? name : (books.value[0]?.name ?? '');
    if (name !== '' && book.value !== '' && name !== book.value) notice.value = `There is no book ${quoted(name)} here: this is ${book.value}.`;
    page.value = OTHERS.find((other) => other === place) ?? 'board';
    if (page.value === 'sql') sqlText.value = parameters.get('q') ?? sqlText.value;
    if (page.value === 'play') side.value = ({ black: 'X', white: 'O' } as const)[parameters.get('as') ?? ''] ?? null;
    if (page.value !== 'board' && (page.value !== 'play' || side.value === null)) return;
    orientation.value = Number(parameters.get('o') ?? 0) & 7;
    const { position, line, wrong } = lineOf(parameters.get('b') ?? '', page.value === 'play' ? (parameters.get('m') ?? '') : place);
    notice.value = wrong ?? notice.value;
    // Going back keeps the rest of the line, so that → plays it again.
    const same = page.value === 'board' && position.board === root.value.board && position.turn === root.value.turn;
    const goesOn = same && line.every((move, index) => move === moves.value[index]);
    showLine(position, goesOn ? moves.value : line, line.length);
  });
}

/** The editor of boards, one place however its board changes. */
const EDITOR = 'editor';

/** Keeps the address and the state the same, from now on. */
export function follow(): void {
  read();
  addEventListener('popstate', read);
  let [place, before] = ['', ''];
  effect(() => {
    const next = written();
    const shown = `${book.value} ${root.value.board} ${root.value.turn} ${ply.value} ${transcript()}`;
    const nextPlace = page.value !== 'board' ? `${page.value} ${book.value}` : editing.value ? EDITOR : shown;
    untracked(() => {
      if (next !== location.hash) {
        if (place === EDITOR && nextPlace !== EDITOR && next === before) history.back();
        else if (place === '' || place === EDITOR || nextPlace === place) history.replaceState(null, '', next);
        else {
          before = location.hash;
          history.pushState(null, '', next);
        }
      } else if (nextPlace === EDITOR) {
        // Nothing was set up yet: the place before stays one to come back to.
        return;
      }
      place = nextPlace;
    });
  });
}
