// Changing the book, if the server was started for that: each button does what a command would do.

import { useLayoutEffect, useState } from 'preact/hooks';
import { Undo } from './undo';
import type { Entered, Queued } from '../api/types';
import { answer, at, signed, stale } from '../state';
import { useChange } from '../watch';

/** The level of values that a person entered. */
const PERSON = 70;

export function EditPanel() {
  const [value, setValue] = useState('');
  const { error, busy, send } = useChange();
  useLayoutEffect(() => setValue(''), [at.value]);
  const where = at.value;
  const enter = (given: number | null): Promise<void> => send<Entered>('value', { at: where, value: given }, ({ before, after }) =>
    (given === null ? `The value is ${after == null ? 'unknown' : signed(after)} again.` : `The value is ${signed(after)}, it was ${before == null ? 'unknown' : signed(before)}.`));
  const queued = ({ searches, level }: Queued): string => `${searches} ${searches === 1 ? 'search waits' : 'searches wait'} at level ${level}: obook learn makes them.`;
  const isEntered = !stale.value && answer.value?.level === PERSON;
  const number = Number(value);
  return (
    <div class="edit">
      <form class="row" onSubmit={(event) => { event.preventDefault(); void enter(number); }}>
        <label>Value of this position
          <input type="number" min="-64" max="64" required value={value} onInput={(event) => setValue(event.currentTarget.value)} /></label>
        <button type="submit" aria-disabled={busy || value === '' || !Number.isInteger(number)}>Enter</button>
        {isEntered && <button type="button" aria-disabled={busy} onClick={() => void enter(null)}>Remove the entered value</button>}
      </form>
      <p class="row">
        <button type="button" aria-disabled={busy} onClick={() => void send<Queued>('search', { at: where }, queued)}>Search this position</button>
        <button type="button" aria-disabled={busy || where === ''} onClick={() => void send<Queued>('line', { at: where }, queued)}>Add this line</button>
      </p>
      <p class="quiet">Searches wait for the next run of <code>obook learn</code>.</p>
      {error && <p role="alert">{error}</p>}
      <Undo />
    </div>
  );
}
