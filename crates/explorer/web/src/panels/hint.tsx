// A hint: what the engine has found, with its lines. While the panel is open it searches in the book too.

import { engine, level } from '../engine';
import { parseMoves, squareIndex } from '../othello';
import { gameOver, hint, hovered, moves, playMove, ply, root, showLine, signed } from '../state';

export function HintPanel() {
  if (gameOver.value) return <p class="quiet">The game is over.</p>;
  const found = hint.value;
  const { running, error } = engine.value;
  return (
    <div>
      <p class="row">
        <label>Level <input type="number" min="1" max="30" value={level.value}
          onChange={(event) => { level.value = Math.max(1, Math.min(30, event.currentTarget.valueAsNumber || 16)); }} /></label>
        <span class="quiet" role="status">{error ? '' : running ? `Searching${found ? `: level ${found.level}` : ''} …` : found ? `Level ${found.level}` : ''}</span>
      </p>
      {error && <p role="alert">{error}</p>}
      {found && (
        <table>
          <thead><tr><th scope="col">Move</th><th scope="col" class="number">Score</th><th scope="col">Search</th><th scope="col">Line</th></tr></thead>
          <tbody>{found.moves.map((move) => (
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
