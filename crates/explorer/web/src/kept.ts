// Data that stay in this browser.

import { effect, signal, type Signal } from '@preact/signals';

function stored(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`obook.${name}`) ?? 'null');
  } catch {
    // Storage may be switched off, or hold nonsense.
    return null;
  }
}

/** A signal whose value is kept under a name. `read` checks a kept value and returns null if it can't be used. */
export function kept<T>(name: string, initial: T, read: (value: unknown) => T | null): Signal<T> {
  const value = signal(read(stored(name)) ?? initial);
  effect(() => {
    const text = JSON.stringify(value.value);
    try {
      localStorage.setItem(`obook.${name}`, text);
    } catch {
      // It lasts until the page is closed.
    }
  });
  // Another page of this browser has changed it.
  addEventListener('storage', ({ key }) => {
    if (key === `obook.${name}`) value.value = read(stored(name)) ?? initial;
  });
  return value;
}

/** A whole number of an object within bounds, or null. */
export function numberIn(value: unknown, name: string, least: number, most: number): number | null {
  const found = (value as Record<string, unknown> | null)?.[name];
  return typeof found === 'number' && Number.isInteger(found) && found >= least && found <= most ? found : null;
}
