import { render } from 'preact';
import { getJson, message } from './api/client';
import type { Books } from './api/types';
import { App } from './app';
import { listen } from './keys';
import { follow } from './route';
import { books, failure, writable } from './state';
import { listenToText } from './read';
import { watch } from './watch';

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
  if (!SITE) watch();
  render(<App />, document.getElementById('app')!);
}

void start();
