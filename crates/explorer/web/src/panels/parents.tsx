// Other ways to the position: the positions of the book that lead to it.

import { useJson } from './load';
import { address } from '../api/client';
import type { Answer, Parents } from '../api/types';
import { at, book, place, ply, showWritten, signed } from '../state';

export function ParentsPanel() {
  const { data, loading, error } = useJson<Parents>(address(book.value, 'parents', { at: at.value }));
  // The position before the last move is the way that was taken.
  const before = useJson<Answer>(ply.value === 0 ? null : address(book.value, 'position', { at: place(ply.value - 1) }));
  if (error ?? before.error) return <p role="alert">{error ?? before.error}</p>;
  if (!data || (ply.value > 0 && !before.data)) return null;
  const others = data.parents.filter(({ key }) => key !== before.data?.key);
  if (others.length === 0) return <p class="quiet">No other position of the book leads here.</p>;
  return (
    <table class={loading ? 'stale' : ''}>
      <thead><tr><th scope="col">Line</th><th scope="col">Before the last move</th><th scope="col" class="number">Value</th></tr></thead>
      <tbody>{others.map(({ line, key, value, opening }) => (
        <tr key={key}>
          <td>{line ? <button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line}</button> : <span class="quiet">not from the start</span>}</td>
          <td class="quiet">{opening?.name ?? ''}</td>
          <td class="number">{signed(value)}</td>
        </tr>
      ))}</tbody>
    </table>
  );
}
