// Setting up a board by hand.

import { batch, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Colour } from '../othello';
import { colourName, legalMoves, other, START } from '../othello';
import { editing, here, notice, ply, root, moves, showLine, steps } from '../state';

const brush = signal<Colour | '-'>('X');
let before: { root: typeof root.value; moves: readonly number[]; ply: number } | null = null;

function put(board: string, turn: Colour): void {
  showLine({ board, turn }, []);
}

/** Draws with the chosen colour; a second time it clears. With `opposite` it draws the other colour. */
export function editSquare(square: number, opposite: boolean): void {
  const { board } = steps.value[0]!;
  const colour = opposite && brush.value !== '-' ? other(brush.value) : brush.value;
  const sign = board[square] === colour ? '-' : colour;
  put(board.slice(0, square) + sign + board.slice(square + 1), root.value.turn);
}

export function startEditing(): void {
  before = { root: root.value, moves: moves.value, ply: ply.value };
  batch(() => {
    put(here.value.board, here.value.turn);
    editing.value = true;
  });
}

/** Leaves the editor: keeps the board, or goes back to the line before it. */
export function stopEditing(keep: boolean): void {
  batch(() => {
    editing.value = false;
    if (keep && root.value.board !== '-'.repeat(64)) {
      if (legalMoves(root.value).length === 0) notice.value = `${colourName(root.value.turn)} has no move on this board.`;
    } else if (before) showLine(before.root, before.moves, before.ply);
  });
}

export function Setup() {
  // Another page has no use for half a board.
  useLayoutEffect(() => () => { if (editing.value) stopEditing(false); }, []);
  const { board, turn } = root.value;
  const brushes: readonly [Colour | '-', string][] = [['X', 'Black'], ['O', 'White'], ['-', 'Empty']];
  return (
    <section class="card setup" aria-label="Set up a board">
      <h2>Set up a board</h2>
      <fieldset><legend>Put</legend>
        {brushes.map(([sign, name]) => (
          <label key={sign}><input type="radio" name="brush" checked={brush.value === sign} onChange={() => { brush.value = sign; }} />{name}</label>
        ))}
      </fieldset>
      <fieldset><legend>To move</legend>
        {(['X', 'O'] as const).map((colour) => (
          <label key={colour}><input type="radio" name="turn" checked={turn === colour} onChange={() => put(board, colour)} />{colourName(colour)}</label>
        ))}
      </fieldset>
      <p class="quiet">A right click, or Shift with a click, puts the other colour.</p>
      <p class="buttons">
        <button type="button" onClick={() => put('-'.repeat(64), turn)}>Clear</button>
        <button type="button" onClick={() => put(START.board, 'X')}>Start position</button>
        <span class="space" />
        <button type="button" onClick={() => stopEditing(false)}>Cancel</button>
        <button type="button" class="primary" onClick={() => stopEditing(true)}>Done</button>
      </p>
    </section>
  );
}
