// The last change of the book, to be undone.

import { useEffect, useState } from 'preact/hooks';
import { useJson } from './load';
import { address, message, postJson } from '../api/client';
import type { History, Undone } from '../api/types';
import { at, book, notice } from '../state';
import { making } from '../watch';

export function Undo() {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { data } = useJson<History>(address(book.value, 'history'));
  const last = data?.changes.find(({ undone }) => !undone);
  useEffect(() => setError(null), [at.value]);
  if (last?.log !== 'kept') return null;
  const undo = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const { command } = await making(() => postJson<Undone>(address(book.value, 'undo'), { change: last.id }));
      notice.value = `Undone: ${command}`;
    } catch (problem) {
      setError(message(problem));
    }
    setBusy(false);
  };
  return (
    <>
      {error && <p role="alert">{error}</p>}
      <p class="row undo">
        <button type="button" disabled={busy} onClick={() => void undo()}>Undo</button>
        <code class="quiet">{last.command}</code>
      </p>
    </>
  );
}
