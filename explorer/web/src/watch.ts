// Notices that another process has written to the book, and that the server has gone.

import { address, ApiError, getJson, GONE } from './api/client';
import type { Version } from './api/types';
import { book, failure, forget, notice } from './state';

const EVERY = 2000;

export function watch(): void {
  let known = { book: '', version: '' };
  const look = async (): Promise<void> => {
    if (document.hidden || book.value === '') return;
    const asked = book.value;
    try {
      const { version } = await getJson<Version>(address(asked, 'version'));
      if (known.book === asked && known.version !== version) {
        forget();
        notice.value = 'The book has changed. The page shows the new values.';
      } else if (failure.value === GONE) forget();
      known = { book: asked, version };
    } catch (error) {
      if (error instanceof ApiError && error.status === 0) failure.value = GONE;
    }
  };
  void look();
  setInterval(() => void look(), EVERY);
}
