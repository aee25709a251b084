// A hint: the engine inside obook searches the position, level by level. Leaving stops the search.

import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { useLines } from './load';
import { address } from '../api/client';
import type { Hint } from '../api/types';
import { parseMoves, squareIndex } from '../othello';
import { at, book, gameOver, hovered, moves, playMove, ply, root, showLine, signed } from '../state';

const level = signal(16);

export function HintPanel() {
  const [hint, setHint] = useState<Hint | null>(null);
  const url = gameOver.value ? null : address(book.value, 'hint', { at: at.value, level: level.value });
  const state = useLines<Hint>(url, null, setHint, () => setHint(null));
  if (url === null) return <p class="quiet">The game is over.</p>;
  return (
    <div>
      <p class="row">
        <label>Level <input type="number" min="1" max="30" value={level.value}
          onChange={(event) => { level.value = Math.max(1, Math.min(30, event.currentTarget.valueAsNumber || 16)); }} /></label>
        <span class="quiet" role="status">{state.error ? '' : state.running ? `Searching${hint ? `: level ${hint.level}` : ''} …` : hint ? `Level ${hint.level}` : ''}</span>
      </p>
      {state.error && <p role="alert">{state.error}</p>}
      {hint && (
        <table>
          <thead><tr><th scope="col">Move</th><th scope="col" class="number">Score</th><th scope="col">Search</th><th scope="col">Line</th></tr></thead>
          <tbody>{hint.moves.map((move) => (
            <tr key={move.square} onPointerEnter={() => { hovered.value = squareIndex(move.square); }} onPointerLeave={() => { hovered.value = null; }}>
              <th scope="row"><button type="button" class="move" onClick={() => playMove(squareIndex(move.square))}>{move.square}</button></th>
              <td class="number">{signed(move.score)}</td>
              <td class="quiet">{move.proven ? '✓' : `${move.depth} plies${move.probability == null || move.probability === 100 ? '' : `, ${move.probability} %`}`}</td>
              <td><button type="button" class="link moves-text" title="Append this line"
                onClick={() => showLine(root.value, [...moves.value.slice(0, ply.value), ...(parseMoves(move.variation) ?? [])], ply.value)}>{move.variation}</button></td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </div>
  );
}
