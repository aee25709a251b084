// The board with the counts of the discs above it, and what belongs below it.

import type { ComponentChildren } from 'preact';
import { Board } from './board';
import { colourName, count, type Colour } from '../othello';
import { gameOver, here } from '../state';

function Discs({ colour }: { colour: Colour }) {
  const discs = count(here.value.board, colour);
  return (
    <span class={`side${!gameOver.value && here.value.turn === colour ? ' turn' : ''}`}>
      <span class={`stone ${colour === 'X' ? 'black' : 'white'}`} aria-hidden="true" />
      <span class="number" aria-label={`${colourName(colour)}: ${discs} discs`}>{discs}</span>
    </span>
  );
}

export function BoardSide({ children }: { children?: ComponentChildren }) {
  return (
    <div class="boardside">
      <div class="boardhead"><Discs colour="X" /><Discs colour="O" /></div>
      <Board />
      {children}
    </div>
  );
}

/** The result of a finished game. */
export function resultOf(board: string): string {
  const [black, white] = [count(board, 'X'), count(board, 'O')];
  return black === white ? 'Draw' : `${black > white ? 'Black' : 'White'} wins ${Math.max(black, white)}–${Math.min(black, white)}`;
}
