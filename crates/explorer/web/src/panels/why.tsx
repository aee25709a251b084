// Why the position has its value: the line that decides it, and the searches that would change it.

import { useJson } from './load';
import { address } from '../api/client';
import type { Why } from '../api/types';
import { colourName } from '../othello';
import { answer, at, book, here, showWritten, signed } from '../state';

const LineLink = ({ line }: { line: string }) => <button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line}</button>;

/** The largest difference in discs that a search can plausibly make up, as `obook why` counts. */
const WITHIN_REACH = 4;

/** How far the move is from the best, and the highest value that it can give. */
function about({ worse, at_most: most }: Why['too_low'][number]): string {
  const distance = worse == null ? 'not searched yet' : worse === 0 ? 'as good as the best' : `${worse} worse than the best`;
  return most == null ? distance : `${distance}, at most ${signed(most)}`;
}

export function WhyPanel() {
  const { data, loading, error } = useJson<Why>(answer.value?.in_book ? address(book.value, 'why', { at: at.value }) : null);
  if (answer.value && !answer.value.in_book) {
    return <p class="quiet">{answer.value.value == null ? 'The book doesn’t know this position, so it has no value to explain.'
      : 'The value is the score of the pass, with which the book ends.'}</p>;
  }
  if (error) return <p role="alert">{error}</p>;
  if (!data) return null;
  const { decides, too_low: low, too_high: high } = data;
  const near = low.filter(({ worse }) => worse == null || worse <= WITHIN_REACH);
  return (
    <div class={loading ? 'stale' : ''}>
      <p>The position is worth <b>{signed(data.value)}</b> for {colourName(here.value.turn)}{data.steps.length > 0 ? ', by this line:' : '.'}</p>
      {data.steps.length > 0 && (
        <table>
          <thead><tr><th scope="col">Move</th><th scope="col" class="number">Value</th><th scope="col">Other moves, and how much worse they are</th></tr></thead>
          <tbody>{data.steps.map((step) => (
            <tr key={step.ply}>
              <th scope="row">{step.move}</th>
              <td class="number">{signed(step.score)}</td>
              <td class="quiet">{step.others.map(({ move, worse }) => `${move} ${worse}`).join(' · ')}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
      {decides && <p class="quiet">The value comes from {decides.engine ?? 'a search'}{decides.level == null ? '' : ` at level ${decides.level}`}{decides.depth == null ? '' : `, ${decides.depth} plies deep`}{decides.probability == null ? '' : `, ${decides.probability} % sure`}.</p>}
      {near.length > 0 && <><h3>If it is too low, search</h3><ul>{near.slice(0, 6).map((addition) => <li key={addition.line}><LineLink line={addition.line} /> <span class="quiet">{about(addition)}</span></li>)}</ul></>}
      {high?.payoffs && high.payoffs.length > 0 && <><h3>If it is too high, search</h3><ul>{high.payoffs.slice(0, 6).map(({ line, score }) => <li key={line}><LineLink line={line} /> <span class="quiet">now {signed(score)}</span></li>)}</ul></>}
    </div>
  );
}
