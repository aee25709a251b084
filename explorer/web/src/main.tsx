import { render } from 'preact';
import { getJson, message } from './api/client';
import type { Books } from './api/types';
import { App } from './app';
import { listen } from './keys';
import { follow } from './route';
import { books, failure } from './state';
import { listenToText } from './sheets';
import { watch } from './watch';

try {
  books.value = (await getJson<Books>('api/books')).books;
} catch (error) {
  failure.value = message(error);
}
follow();
listen();
listenToText();
watch();
render(<App />, document.getElementById('app')!);
