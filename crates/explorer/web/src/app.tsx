// The frame of the page: books, pages, notices.

import { useEffect, useState } from 'preact/hooks';
import type { ComponentType } from 'preact';
import { getJson, GONE } from './api/client';
import { BoardPage } from './pages/board';
import { BookPage } from './pages/book';
import { Sheets } from './sheets';
import { announcement, book, books, failure, notice, page, PAGES, sheet, transcript, type Page } from './state';

const NAMES: Record<Page, string> = { board: 'Board', play: 'Play', train: 'Train', book: 'Book', sql: 'SQL' };

/** A page that comes in a file of its own when it is opened. */
const later = (load: () => Promise<ComponentType>) => function Later() {
  const [Loaded, setLoaded] = useState<ComponentType | null>(null);
  const [failed, setFailed] = useState(false);
  const start = (): void => {
    setFailed(false);
    load().then((found) => setLoaded(() => found), () => setFailed(true));
  };
  // A server of another version has other files.
  const again = (): void => { getJson('api/books').then(() => location.reload(), start); };
  useEffect(start, []);
  if (Loaded) return <Loaded />;
  if (!failed) return <main aria-busy="true" />;
  return (
    <main class="empty">
      <p role="alert">This page can’t be loaded. {GONE}</p>
      <p class="buttons"><button type="button" onClick={again}>Try again</button></p>
    </main>
  );
};

const Train = later(async () => (await import('./pages/train')).TrainPage);
const SHOWN: Partial<Record<Page, ComponentType>> = SITE ? { train: Train, book: BookPage } : {
  play: later(async () => (await import('./pages/play')).PlayPage),
  train: Train,
  book: BookPage,
  sql: later(async () => (await import('./pages/sql')).SqlPage),
};

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
  const where = page.value === 'board' ? (transcript() || 'Start') : NAMES[page.value];
  useEffect(() => { document.title = `${where} – ${book.value} – obook`; }, [where, book.value]);
}

export function App() {
  useTitle();
  const Shown = SHOWN[page.value] ?? BoardPage;
  return (
    <>
      <header class="top">
        <span class="wordmark" aria-hidden="true">obook</span>
        {books.value.length > 1
          ? <select aria-label="Book" value={book.value} onChange={(event) => { book.value = event.currentTarget.value; }}>
            {books.value.map(({ name }) => <option key={name}>{name}</option>)}</select>
          : <span class="bookname">{book.value}</span>}
        <button type="button" class="quietbutton" title="A position, a game or a file (i)" onClick={() => { sheet.value = 'input'; }}>Open</button>
        <nav aria-label="Pages">{PAGES.map((id) => (
          <button type="button" key={id} aria-current={page.value === id ? 'page' : undefined} onClick={() => { page.value = id; }}>{NAMES[id]}</button>
        ))}</nav>
        <button type="button" class="help" title="Keys (?)" aria-label="Keys" onClick={() => { sheet.value = 'keys'; }}>?</button>
      </header>
      {book.value === '' ? <main class="empty"><p role="alert">{failure.value ?? 'No book is served.'}</p></main>
        : <Shown key={page.value} />}
      <Notice />
      <Sheets />
      <div class="unseen" aria-live="polite">{announcement.value}</div>
    </>
  );
}
