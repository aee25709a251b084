// The last change of the book, to be undone.

import { useJson } from './load';
import { address } from '../api/client';
import type { History, Undone } from '../api/types';
import { book } from '../state';
import { useChange } from '../watch';

export function Undo() {
  const { error, busy, send } = useChange();
  const { data } = useJson<History>(address(book.value, 'history'));
  const last = data?.changes.find(({ undone }) => !undone);
  if (last?.log !== 'kept') return null;
  const undo = (): Promise<void> => send<Undone>('undo', { change: last.id }, ({ command }) => `Undone: ${command}`);
  return (
    <>
      {error && <p role="alert">{error}</p>}
      <p class="row undo">
        <button type="button" aria-disabled={busy} onClick={() => void undo()}>Undo</button>
        <code class="quiet">{last.command}</code>
      </p>
    </>
  );
}
