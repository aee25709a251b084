// Why the position has its value: the line that decides it, and the searches that would change it.

import { useJson } from './load';
import { address } from '../api/client';
import type { Why } from '../api/types';
import { colourName } from '../othello';
import { answer, at, book, here, showWritten, signed } from '../state';

const LineLink = ({ line }: { line: string }) => <button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line}</button>;

export function WhyPanel() {
  const { data, loading, error } = useJson<Why>(answer.value?.in_book ? address(book.value, 'why', { at: at.value }) : null);
  if (answer.value && !answer.value.in_book) return <p class="quiet">The book doesn’t know this position, so it has no value to explain.</p>;
  if (error) return <p role="alert">{error}</p>;
  if (!data) return null;
  const { decides, too_low: low = [], too_high: high } = data;
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
      {low.length > 0 && <><h3>If it is too low, search</h3><ul>{low.slice(0, 6).map(({ line, at_most: most }) => <li key={line}><LineLink line={line} /> <span class="quiet">at most {signed(most)}</span></li>)}</ul></>}
      {high?.payoffs && high.payoffs.length > 0 && <><h3>If it is too high, search</h3><ul>{high.payoffs.slice(0, 6).map(({ line, score }) => <li key={line}><LineLink line={line} /> <span class="quiet">now {signed(score)}</span></li>)}</ul></>}
    </div>
  );
}
