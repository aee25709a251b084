// Takes the pictures of docs/ and, with a folder as argument, pictures of all pages to look at:
// phone and desktop, light and dark.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch, serve } from './harness.mjs';

const folder = process.argv[2];
const into = folder ?? fileURLToPath(new URL('../../../../docs/', import.meta.url));
mkdirSync(into, { recursive: true });
const PAGES = {
  starter: ['f5', '[data-value-of]', 'starter'],
  board: ['f5d6c3', '.games tbody tr'],
  play: ['play?as=black&m=f5d6', '.line'],
  begin: ['play', '.setup'],
  train: ['train', '.setup'],
  question: ['train', '.setup'],
  book: ['book', '.changes li'],
  sql: [`sql?q=${encodeURIComponent('SELECT board, empties, value, level\nFROM positions\nORDER BY empties DESC\nLIMIT 8')}`, '.results td'],
};
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 }, small: { width: 320, height: 568 } };
/** Page, size and scheme of the pictures in docs/. */
const DOCS = [['starter', 'desktop', 'light'], ['board', 'desktop', 'light'], ['board', 'phone', 'dark'], ['question', 'desktop', 'light'], ['book', 'desktop', 'light'], ['sql', 'desktop', 'dark']];
const ALL = Object.keys(PAGES).flatMap((page) => Object.keys(SIZES).flatMap((size) => ['light', 'dark'].map((scheme) => [page, size, scheme])));

const server = await serve({ hostile: false, more: ['starter'] });
const browser = await launch();
for (const [page, size, scheme] of folder ? ALL : DOCS) {
  const [place, ready, book = 'shipped'] = PAGES[page];
  const tab = await browser.newPage({ viewport: SIZES[size], colorScheme: scheme, reducedMotion: 'reduce' });
  await tab.goto(`${server.url}#/${book}/${place}`);
  await tab.locator(ready).first().waitFor();
  if (page === 'question') {
    await tab.getByLabel('Opening: moves').fill('f5d6c5');
    await tab.getByRole('radio', { name: 'White' }).check();
    await tab.getByRole('button', { name: 'Start' }).click();
    await tab.locator('[data-square=b4]').click();
  }
  await tab.waitForTimeout(700);
  await tab.screenshot({ path: `${into}/explorer-${page}-${size}-${scheme}.png`, fullPage: folder !== undefined && (size !== 'desktop' || page === 'book') });
  await tab.close();
}
await browser.close();
await server.stop();
