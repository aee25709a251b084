// Notices that another process has written to the book, and that the server doesn’t answer this page any more.

import { useLayoutEffect, useState } from 'preact/hooks';
import { address, getJson, GONE, isAbort, message, postJson } from './api/client';
import type { Books, Version } from './api/types';
import { at, book, books, failure, forget, notice } from './state';

const EVERY = 2000;

let known = { book: '', version: '' };
/** The last look found a problem. */
let failed = false;
let looking: AbortController | null = null;
/** This page is changing the book. */
let changing = false;

/** Looks whether there is a new version. `own`: this page has just made it. */
async function look(own: boolean): Promise<void> {
  looking?.abort();
  const { signal } = (looking = new AbortController());
  const asked = book.value;
  try {
    const { version } = await getJson<Version>(address(asked, 'version'), signal);
    if (signal.aborted) return;
    const isNew = known.book === asked && known.version !== version;
    // After a time without answers, all that is certain is that the values are asked for again.
    if (isNew && !own && !failed) notice.value = 'The book has changed. The page shows the new values.';
    // It may have games now, or none any more.
    if (isNew) books.value = (await getJson<Books>('api/books', signal)).books;
    // A change of one's own is new even if no version was known before it.
    if (own || isNew || failed || failure.value === GONE) forget();
    known = { book: asked, version };
    failed = false;
  } catch (error) {
    if (isAbort(error)) return;
    failed = true;
    failure.value = message(error);
  }
}

/** Changes the book, which is then no news to this page. */
export async function making<T>(change: () => Promise<T>): Promise<T> {
  changing = true;
  looking?.abort();
  try {
    const made = await change();
    await look(true);
    return made;
  } finally {
    changing = false;
  }
}

/** For buttons that change the shown book: `told` says what was done. An error stays until another position is shown. */
export function useChange() {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => setError(null), [at.value]);
  const send = async <T>(path: string, body: object, told: (found: T) => string): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      notice.value = told(await making(() => postJson<T>(address(book.value, path), body)));
    } catch (problem) {
      setError(message(problem));
    }
    setBusy(false);
  };
  return { error, busy, send };
}

export function watch(): void {
  const glance = (): void => { if (!document.hidden && !changing && book.value !== '') void look(false); };
  glance();
  setInterval(glance, EVERY);
}
