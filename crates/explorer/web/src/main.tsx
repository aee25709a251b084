import { render } from 'preact';
import { getJson, message } from './api/client';
import type { Books } from './api/types';
import { App } from './app';
import { listen } from './keys';
import { follow } from './route';
import { books, failure, writable } from './state';
import { listenToText } from './read';
import { watch } from './watch';

/** A control that can’t be used for now has `aria-disabled`, because `disabled` would make it lose the focus. */
function refuseClicks(): void {
  addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || event.target.closest('[aria-disabled="true"]') === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

async function start(): Promise<void> {
  try {
    const found = await getJson<Books>('api/books');
    books.value = found.books;
    writable.value = found.writable;
  } catch (error) {
    failure.value = message(error);
  }
  follow();
  listen();
  listenToText();
  refuseClicks();
  if (!SITE) watch();
  render(<App />, document.getElementById('app')!);
}

void start();
