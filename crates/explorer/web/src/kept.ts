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

/** The object that a page has exported as this text; null if it isn’t one of this kind. */
export function exportOf(text: string, kind: string): Readonly<Record<string, unknown>> | null {
  try {
    const file = JSON.parse(text) as Record<string, unknown> | null;
    return file?.['obook'] === kind ? file : null;
  } catch {
    return null;
  }
}

/** A whole number of an object within bounds, or null. */
export function numberIn(value: unknown, name: string, least: number, most: number): number | null {
  const found = (value as Record<string, unknown> | null)?.[name];
  return typeof found === 'number' && Number.isInteger(found) && found >= least && found <= most ? found : null;
}
