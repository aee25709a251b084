// The review: what each move of the line gave up, by the book where it knows, and beyond it by the engine inside, level after level.

import { useLines } from './load';
import { address } from '../api/client';
import type { Review } from '../api/types';
import { kept } from '../kept';
import { book, goTo, isMistake, judged, markOf, moves, nextMistake, place, review, signed, steps, version } from '../state';

/** The last level of the searches. */
const level = kept('review', 10, (value) => (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 30 ? Number(value) : null));

export function ReviewPanel() {
  const url = moves.value.length === 0 ? null : address(book.value, 'review', { at: place(steps.value.length - 1), level: level.value });
  const state = useLines<Review>(url, version.value, (found) => { review.value = found; }, () => { review.value = null; });
  if (url === null) return <p class="quiet">Play or paste a game: its costly moves are found by the book and the engine.</p>;
  const found = review.value;
  const mistakes = judged.value.map((move, index) => ({ ...move, index })).filter(isMistake);
  return (
    <div>
      <p class="row">
        <label>Level <input type="number" min="1" max="30" value={level.value}
          onChange={(event) => { level.value = Math.max(1, Math.min(30, event.currentTarget.valueAsNumber || 10)); }} /></label>
        <span class="quiet" role="status">{state.error ? '' : state.running ? `Searching${found ? `: level ${found.level} is done` : ''} …` : found ? `Level ${found.level}` : ''}</span>
        <span class="space" />
        {mistakes.length > 0 && <button type="button" onClick={nextMistake}>Next mistake</button>}
      </p>
      {state.error && <p role="alert">{state.error}</p>}
      {found && (
        <table class="sums">
          <thead><tr><th scope="col">Side</th><th scope="col" class="number">Moves</th><th scope="col" class="number">Best</th><th scope="col" class="number">Given up</th><th scope="col" class="number">A move</th></tr></thead>
          <tbody>{([['Black', found.black], ['White', found.white]] as const).map(([name, sums]) => (
            <tr key={name}><th scope="row">{name}</th><td class="number">{sums.moves}</td><td class="number">{sums.best}</td><td class="number">{sums.loss}</td>
              <td class="number">{sums.mean == null ? '' : sums.mean.toFixed(2)}</td></tr>
          ))}</tbody>
        </table>
      )}
      {found && mistakes.length === 0 && <p class="quiet">No move gave up more than 2 discs.</p>}
      {mistakes.length > 0 && (
        <table class="mistakes">
          <thead><tr><th scope="col">Mistake</th><th scope="col" class="number">Given up</th><th scope="col">Better</th><th scope="col" class="number">For Black</th></tr></thead>
          <tbody>{mistakes.map(({ index, square, loss, best, value }) => (
            <tr key={index}>
              <th scope="row"><button type="button" class="move" title="Show the position before it" onClick={() => goTo(index)}>
                <span class={`stone ${steps.value[index + 1]?.mover === 'X' ? 'black' : 'white'}`} aria-hidden="true" />{index + 1}. {square} {markOf(loss)}</button></th>
              <td class="number">{loss}</td><td>{best === square ? '' : best}</td><td class="number">{signed(value)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </div>
  );
}
