// Takes the pictures of docs/ and, with a folder as argument, pictures of all pages to look at:
// phone and desktop, light and dark.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, repository, serve } from './harness.mjs';

const folder = process.argv[2];
const into = folder ?? fileURLToPath(new URL('../../../../docs/', import.meta.url));
mkdirSync(into, { recursive: true });
const GAME = readFileSync(join(repository, 'examples/game.txt'), 'utf8').trim().replaceAll('pa', '');
const PAGES = {
  starter: ['f5', '[data-value-of]', 'starter'],
  board: ['f5d6c3', '.games tbody tr'],
  review: [GAME, '.line'],
  beyond: [GAME.slice(0, 24), '.line'],
  repertoire: ['f5d6c3d3c4', '.games tbody tr'],
  compare: ['f5d6', '[data-value-of]', 'starter'],
  player: ['f5d6', '.games tbody tr'],
  play: ['play?as=black&m=f5d6', '.line'],
  begin: ['play', '.setup'],
  train: ['train', '.setup'],
  question: ['train', '.setup'],
  book: ['book', '.changes li'],
  sql: [`sql?q=${encodeURIComponent('SELECT board, empties, value, level\nFROM positions\nORDER BY empties DESC\nLIMIT 8')}`, '.results td'],
};
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 }, small: { width: 320, height: 568 }, sideways: { width: 844, height: 390 } };
/** Page, size and scheme of the pictures in docs/. */
const DOCS = [['starter', 'desktop', 'light'], ['board', 'desktop', 'light'], ['board', 'phone', 'dark'], ['review', 'desktop', 'light'], ['beyond', 'desktop', 'light'], ['repertoire', 'desktop', 'light'], ['compare', 'desktop', 'light'], ['question', 'desktop', 'light'], ['book', 'desktop', 'light'], ['sql', 'desktop', 'dark']];
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
  if (page === 'review') {
    await tab.keyboard.press('Enter');
    await tab.getByRole('button', { name: 'Train these' }).waitFor();
    await tab.getByRole('status').filter({ hasText: /^Level/ }).waitFor();
    await tab.keyboard.press('Home');
    await tab.keyboard.press('Enter');
  }
  if (page === 'beyond') {
    await tab.keyboard.press('a');
    // Along the line, so that there is a curve.
    for (let back = 0; back < 7; back++) {
      await tab.locator('.legend', { hasText: /level (8|9|1\d)/ }).waitFor();
      await tab.keyboard.press('ArrowLeft');
    }
    await tab.keyboard.press('End');
  }
  if (page === 'repertoire') {
    await tab.getByRole('tab', { name: 'Repertoire' }).click();
    for (const line of ['f5d6c3d3c4', 'f5f6e6f4e3', 'f5d6c3f4f6', 'f5f4e3d6f3']) {
      await tab.goto(`${server.url}#/${book}/${line}`);
      await tab.getByRole('button', { name: 'Mark Black’s moves' }).click();
      await tab.locator('.tree .own[aria-current]').waitFor();
    }
    await tab.goto(`${server.url}#/${book}/f5d6`);
    await tab.getByLabel('Note').fill('Perpendicular: prepare c3, the Tiger.');
    await tab.getByLabel('Note').blur();
    await tab.locator('.note').waitFor();
  }
  if (page === 'compare') {
    await tab.getByRole('tab', { name: 'Compare' }).click();
    await tab.getByLabel('Beside').selectOption('shipped');
    await tab.locator('[data-engine-of]').first().waitFor();
  }
  if (page === 'player') {
    const { players: [name] } = await (await fetch(`${server.url}api/shipped/players?search=`)).json();
    await tab.getByRole('tab', { name: 'Compare' }).click();
    await tab.getByLabel('Beside').selectOption('shipped');
    await tab.getByLabel('Only games of').fill(name);
    await tab.getByRole('button', { name: 'Show', exact: true }).click();
    await tab.locator('.departures').waitFor();
  }
  await tab.waitForTimeout(700);
  await tab.screenshot({ path: `${into}/explorer-${page}-${size}-${scheme}.png`, fullPage: folder !== undefined && (size !== 'desktop' || page === 'book') });
  await tab.close();
}
await browser.close();
await server.stop();
