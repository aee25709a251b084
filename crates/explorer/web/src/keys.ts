// The table of keys. The sheet behind `?` and the listener are made from it.

import { startEditing, stopEditing } from './board/setup';
import { toggleEngine } from './engine';
import { canMark, played, toggle } from './repertoire';
import { copyTranscript } from './share';
import { message } from './api/client';
import { squareIndex } from './othello';
import {
  editing, goTo, hovered, judged, movesShown, nextMistake, notice, orientation, page, panel, playBest, playMostPlayed, playMove, ply, sheet, showValues, sibling,
  steps, takeBack, turningPoint, type Panel,
} from './state';

interface Key {
  /** The values of `KeyboardEvent.key`, with `Shift+` before those that need it. */
  readonly keys: readonly string[];
  /** How the sheet writes them. */
  readonly shown: string;
  readonly does: string;
  readonly group: 'Move' | 'Look' | 'Enter';
  readonly run: (key: string) => void | Promise<void>;
}

function openPanel(which: Panel): void {
  panel.value = which;
  document.getElementById(`tab-${which}`)?.scrollIntoView({ block: 'nearest' });
}

const open = (which: NonNullable<typeof sheet.value>) => (): void => { sheet.value = which; };

/** The eight orientations in the order that `r` takes. */
export const rotate = (): void => { orientation.value = (orientation.value & 4) | ((orientation.value + 1) & 3); };
export const mirror = (): void => { orientation.value ^= 4; };

/** What needs the panels, and so a server. */
const PANEL_KEYS: readonly Key[] = SITE ? [] : [
  { group: 'Look', keys: ['g'], shown: 'g', does: 'Games', run: () => openPanel('games') },
  { group: 'Look', keys: ['w'], shown: 'w', does: 'Why this value?', run: () => openPanel('why') },
  { group: 'Look', keys: ['a'], shown: 'a', does: 'Let the engine search beyond the book', run: toggleEngine },
  { group: 'Look', keys: ['h'], shown: 'h', does: 'Let the engine search here', run: () => openPanel('hint') },
  { group: 'Look', keys: ['o'], shown: 'o', does: 'Other ways to this position', run: () => openPanel('parents') },
];

/** The first press opens the review, the next ones walk through it. */
const REVIEW_KEYS: readonly Key[] = SITE ? [] : [
  { group: 'Move', keys: ['Enter'], shown: 'Enter', does: 'Next mistake of the review', run: () => (judged.value.length > 0 ? nextMistake() : openPanel('review')) },
];

export const KEYS: readonly Key[] = [
  { group: 'Move', keys: ['ArrowLeft', 'k'], shown: '← k', does: 'Back one move', run: () => goTo(ply.value - 1) },
  { group: 'Move', keys: ['ArrowRight', 'j'], shown: '→ j', does: 'Forward one move', run: () => goTo(ply.value + 1) },
  { group: 'Move', keys: ['ArrowUp'], shown: '↑', does: 'Replace the last move by the next better one', run: () => sibling(-1) },
  { group: 'Move', keys: ['ArrowDown'], shown: '↓', does: 'Replace the last move by the next worse one', run: () => sibling(1) },
  { group: 'Move', keys: ['Home', '0'], shown: 'Home 0', does: 'First position', run: () => goTo(0) },
  { group: 'Move', keys: ['End', '$'], shown: 'End $', does: 'Last position', run: () => goTo(steps.value.length - 1) },
  { group: 'Move', keys: ['Shift+ArrowLeft'], shown: 'Shift ←', does: 'Previous move that was not the best', run: () => turningPoint(-1) },
  { group: 'Move', keys: ['Shift+ArrowRight'], shown: 'Shift →', does: 'Next move that was not the best', run: () => turningPoint(1) },
  ...REVIEW_KEYS,
  { group: 'Move', keys: [' '], shown: 'Space', does: 'Play the best move', run: playBest },
  { group: 'Move', keys: ['Shift+ '], shown: 'Shift Space', does: 'Play the most played move', run: playMostPlayed },
  { group: 'Move', keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], shown: '1 … 9', does: 'Play the move on that row of the table',
    run: (key) => { const move = movesShown.value[Number(key) - 1]; if (move) playMove(squareIndex(move.square)); } },
  { group: 'Move', keys: ['Backspace', 'u'], shown: 'Backspace u', does: 'Take the last move back and drop it', run: takeBack },
  { group: 'Look', keys: ['v'], shown: 'v', does: 'Show or hide values', run: () => { showValues.value = !showValues.value; hovered.value = null; } },
  { group: 'Look', keys: ['m'], shown: 'm', does: 'Mirror the board', run: mirror },
  { group: 'Look', keys: ['r'], shown: 'r', does: 'Rotate the board', run: rotate },
  ...PANEL_KEYS,
  { group: 'Enter', keys: ['x'], shown: 'x', does: 'Mark the last move as yours, or no longer', run: async () => { if (canMark.value) await toggle(await played()); } },
  { group: 'Look', keys: ['t'], shown: 't', does: 'Train the book’s moves', run: () => { page.value = 'train'; } },
  { group: 'Enter', keys: ['i'], shown: 'i', does: SITE ? 'Type or paste moves, a board or a name' : 'Open a position, a game or a file', run: open('input') },
  { group: 'Enter', keys: ['/'], shown: '/', does: 'Search openings', run: open('openings') },
  { group: 'Enter', keys: ['e'], shown: 'e', does: 'Set up a board', run: startEditing },
  { group: 'Enter', keys: ['c'], shown: 'c', does: 'Copy the moves', run: copyTranscript },
  { group: 'Enter', keys: ['s'], shown: 's', does: 'Share: link, moves, picture', run: open('share') },
  { group: 'Enter', keys: ['?'], shown: '?', does: 'This sheet', run: open('keys') },
];

/** The keys of buttons on every page. */
const EVERYWHERE: readonly string[] = ['i', '?'];

const takesText = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], .editor, dialog') !== null;

/** Listens to the keys, most of them those of the board page. No letter is taken while a field has the focus. */
export function listen(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape' && editing.value) return stopEditing(false);
    if (takesText(event.target) || sheet.value !== null || editing.value) return;
    // Space and Enter press a button that has the focus.
    if ((event.key === ' ' || event.key === 'Enter') && event.target instanceof Element && event.target.closest('button, a, summary, [role=tab]')) return;
    const name = event.shiftKey && (event.key.startsWith('Arrow') || event.key === ' ') ? `Shift+${event.key}` : event.key;
    const key = KEYS.find(({ keys }) => keys.includes(name));
    if (!key || (page.value !== 'board' && !EVERYWHERE.includes(name))) return;
    event.preventDefault();
    Promise.resolve(key.run(event.key)).catch((error: unknown) => { notice.value = message(error); });
  });
}
