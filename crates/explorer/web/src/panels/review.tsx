// The review: what each move of the line gave up, by the book where it knows, and beyond it by the engine inside, level after level.

import { useEffect } from 'preact/hooks';
import { useLines } from './load';
import { address, message } from '../api/client';
import type { Review, ReviewedMove } from '../api/types';
import { kept } from '../kept';
import { save } from '../share';
import type { Question } from '../train/repertoire';
import {
  book, fromStart, game, goTo, isGame, isMistake, judged, markOf, moves, nextMistake, notice, page, place, positionAt, rank, review, reviewing, signed, steps, version,
} from '../state';

/** The last level of the searches. */
const level = kept('review', 10, (value) => (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 30 ? Number(value) : null));

/** Asks for the better moves, in the trainer: the book’s best ones where it knows, else the engine’s. */
async function train(): Promise<void> {
  const questions: Question[] = [];
  for (const [index, { square, loss, best }] of judged.value.entries()) {
    if (!isMistake({ loss }) || !best || best === square) continue;
    const line = place(index);
    const { key, value, moves: known } = await positionAt(line);
    const equal = rank(known).filter(({ score }) => score != null && score === value).map((move) => move.square);
    questions.push({ key, line, moves: moves.value.slice(0, index), answers: equal.length > 0 ? equal : [best] });
  }
  const { ask } = await import('../pages/train');
  ask(questions, 'game');
  page.value = 'train';
}

function Deeds({ found }: { found: Review }) {
  const isBetter = ({ square, loss, best }: ReviewedMove): boolean => isMistake({ loss }) && best != null && best !== square;
  const text = (format: 'ggf' | 'sgf'): void => save(new Blob([found[format]], { type: 'text/plain' }), `game.${format}`);
  return (
    <p class="buttons deeds">
      {fromStart.value && judged.value.some(isBetter) &&
        <button type="button" onClick={() => { train().catch((error: unknown) => { notice.value = message(error); }); }}>Train these</button>}
      <button type="button" title="With the value after each move, and remarks on losses" onClick={() => text('ggf')}>Save as GGF</button>
      <button type="button" title="With the value after each move, and remarks on losses" onClick={() => text('sgf')}>Save as SGF</button>
      <button type="button" onClick={() => print()}>Print</button>
    </p>
  );
}

export function ReviewPanel() {
  const url = moves.value.length === 0 ? null : address(book.value, 'review', { at: place(steps.value.length - 1), level: level.value, record: (isGame.value && game.value?.record) || undefined });
  const state = useLines<Review>(url, version.value, (found) => { review.value = found; }, () => { review.value = null; });
  useEffect(() => {
    reviewing.value = state.running;
    return () => { reviewing.value = false; };
  }, [state.running]);
  if (url === null) return <p class="quiet">Play or paste a game: its costly moves are found by the book and the engine.</p>;
  const found = review.value;
  const mistakes = judged.value.map((move, index) => ({ ...move, index })).filter(isMistake);
  return (
    <div>
      <p class="row">
        <label>Level <input type="number" min="1" max="30" value={level.value}
          onChange={({ currentTarget: field }) => { field.valueAsNumber = level.value = Math.max(1, Math.min(30, field.valueAsNumber || 10)); }} /></label>
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
      {found && <Deeds found={found} />}
    </div>
  );
}
