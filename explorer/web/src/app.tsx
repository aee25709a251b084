// The frame of the page: books, pages, notices.

import { useEffect, useState } from 'preact/hooks';
import type { ComponentType } from 'preact';
import { BoardPage } from './pages/board';
import { BookPage } from './pages/book';
import { Sheets } from './sheets';
import { announcement, book, books, failure, notice, page, sheet, transcript, type Page } from './state';

const PAGES: readonly (readonly [Page, string])[] = [['board', 'Board'], ['book', 'Book'], ['sql', 'SQL']];

/** The SQL page comes with its editor in a file of its own, when it is opened. */
function SqlPage() {
  const [Loaded, setLoaded] = useState<ComponentType | null>(null);
  useEffect(() => void import('./pages/sql').then(({ SqlPage: found }) => setLoaded(() => found)), []);
  return Loaded ? <Loaded /> : <main class="sqlpage" aria-busy="true" />;
}

function Notice() {
  useEffect(() => {
    if (notice.value === null) return;
    const timer = setTimeout(() => { notice.value = null; }, 5000);
    return () => clearTimeout(timer);
  }, [notice.value]);
  return <div class="notice" role="status">{notice.value && <p>{notice.value}</p>}</div>;
}

/** The window's title says where the page is, for tabs and the history. */
function useTitle(): void {
  const where = page.value === 'board' ? (transcript() || 'Start') : PAGES.find(([id]) => id === page.value)![1];
  useEffect(() => { document.title = `${where} – ${book.value} – obook`; }, [where, book.value]);
}

export function App() {
  useTitle();
  return (
    <>
      <header class="top">
        <span class="wordmark" aria-hidden="true">obook</span>
        {books.value.length > 1
          ? <select aria-label="Book" value={book.value} onChange={(event) => { book.value = event.currentTarget.value; }}>
            {books.value.map(({ name }) => <option key={name}>{name}</option>)}</select>
          : <span class="bookname">{book.value}</span>}
        <nav aria-label="Pages">{PAGES.map(([id, name]) => (
          <button type="button" key={id} aria-current={page.value === id ? 'page' : undefined} onClick={() => { page.value = id; }}>{name}</button>
        ))}</nav>
        <button type="button" class="help" title="Keys (?)" aria-label="Keys" onClick={() => { sheet.value = 'keys'; }}>?</button>
      </header>
      {book.value === '' ? <main class="empty"><p role="alert">{failure.value ?? 'No book is served.'}</p></main>
        : page.value === 'board' ? <BoardPage /> : page.value === 'book' ? <BookPage /> : <SqlPage />}
      <Notice />
      <Sheets />
      <div class="unseen" aria-live="polite">{announcement.value}</div>
    </>
  );
}
