// A person's moves and notes: kept in the book or in the browser, trained, printed, carried elsewhere, published.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obook, serve, settled, square, visit } from './harness.mjs';
import { browser, home } from './stage.mjs';

const panel = (page) => page.getByRole('tab', { name: 'Repertoire' }).click();
const star = (page, name) => page.getByRole('button', { name: `Your move: ${name}` });
/** Opens a line, with the panel. */
async function open(page, address) {
  await page.goto(address);
  await settled(page);
  await panel(page);
}
/** Marks Black's moves of f5d6c3d3c4 and f5f6e6, and writes a note after f5f6. */
async function fill(page, from) {
  await open(page, `${from}f5d6c3d3c4`);
  await page.getByRole('button', { name: 'Mark Black’s moves of this line' }).click();
  await page.locator('.tree').getByText('3 moves').waitFor();
  await page.goto(`${from}f5f6`);
  await page.locator('.line .here', { hasText: 'f6' }).waitFor();
  await settled(page);
  await star(page, 'e6').click();
  await page.locator('.tree').getByText('4 moves').waitFor();
  await page.getByLabel('Note at this position').fill('Diagonal: never <b>f4</b>');
  // Leaving the field keeps it.
  await page.getByRole('tab', { name: 'Repertoire' }).click();
  await page.locator('.note', { hasText: 'Diagonal: never <b>f4</b>' }).waitFor();
}
/** Law of the page: what is typed is kept, however one goes on. */
test('a note that is typed is kept by a click on the board, and by Back', async () => {
  await visit(browser, home, async (page) => {
    for (const [line, text, leave] of [['f5d6', 'a click', () => square(page, 'c3').click()], ['f5f6', 'Back', () => page.goBack()]]) {
      await page.goto(home);
      await settled(page);
      await page.goto(`${home}${line}`);
      await page.locator('.line .here', { hasText: line.slice(-2) }).waitFor();
      await settled(page);
      await panel(page);
      await page.getByLabel('Note at this position').fill(text);
      await leave();
      await page.locator('.notes td', { hasText: text }).waitFor();
    }
  });
});

/** Law of the page: what one page of a browser keeps, another one doesn't overwrite. */
test('marks of two pages of a browser stay', async () => {
  await visit(browser, home, async (page, context) => {
    const other = await context.newPage();
    for (const [tab, line] of [[page, 'f5'], [other, 'f5d6c3']]) {
      await open(tab, home + line);
      await tab.locator('.line .here', { hasText: line.slice(-2) }).waitFor();
    }
    for (const [tab, marked] of [[page, '1 move'], [other, '2 moves']]) {
      await tab.keyboard.press('x');
      await tab.locator('.tree').getByText(marked).waitFor();
    }
    await page.locator('.tree').getByText('2 moves').waitFor();
    await page.reload();
    await settled(page);
    await panel(page);
    await page.locator('.tree').getByText('2 moves').waitFor();
  });
});

/** The tree as text: rows with their branches, marked moves with a star. */
const tree = (page) => page.locator('.tree').evaluate((section) => {
  const text = (list) => [...list.children].map((row) => {
    const moves = [...row.children].filter((part) => part.localName === 'button').map((move) => move.textContent + (move.classList.contains('own') ? '*' : ''));
    const below = [...row.children].find((part) => part.localName === 'ul');
    return moves.join(' ') + (below ? ` (${text(below)})` : '');
  }).join(', ');
  return text(section.querySelector('ul'));
});
const TREE = 'f5* (d6 c3* d3 c4*, f6 e6*)';

test('marked moves are a tree, which the browser keeps, exports and imports', async () => {
  await visit(browser, home, async (page, context) => {
    await fill(page, home);
    assert.equal(await tree(page), TREE);
    // After a mirrored line the same move has its star, on the board and in the table.
    await open(page, `${home}d3c3`);
    await star(page, 'c4').and(page.locator('[aria-pressed=true]')).waitFor();
    assert.match(await square(page, 'c4').getAttribute('aria-label'), /, your move$/);
    assert.equal(await page.locator('.note').textContent(), 'Diagonal: never <b>f4</b>');
    await page.reload();
    await settled(page);
    await page.getByRole('img', { name: 'Your move' }).waitFor();
    await panel(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
    const file = await download.path();
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).marks.length, 4);
    await page.goto(`${home}f5`);
    await page.locator('.line .here', { hasText: 'f5' }).waitFor();
    // The key takes the mark away, and brings it back.
    await page.keyboard.press('x');
    await page.locator('.tree').getByText('3 moves').waitFor();
    await page.keyboard.press('x');
    await page.locator('.tree').getByText('4 moves').waitFor();
    await page.evaluate(() => { localStorage.clear(); });
    const other = await context.newPage();
    await open(other, home);
    await other.locator('.repertoire', { hasText: 'The stars in the table mark your moves' }).waitFor();
    await other.locator('.repertoire input[type=file]').setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"obook":"trainer"}') });
    await other.getByText('other.json is not a file with a repertoire.').waitFor();
    await other.locator('.repertoire input[type=file]').setInputFiles(file);
    await other.locator('.tree').waitFor();
    assert.equal(await tree(other), TREE);
    await other.locator('.notes').getByRole('button', { name: 'f5f6' }).click();
    await other.waitForURL(/f5f6$/);
  });
});

test('only marked moves are trained', async () => {
  await visit(browser, home, async (page) => {
    await fill(page, home);
    await page.locator('.tree').getByRole('button', { name: 'Train these' }).click();
    const asked = [];
    for (const right of ['f5', 'c3', 'e6', 'c4']) {
      await page.getByText('What is your move for Black?').waitFor();
      asked.push((await page.locator('.way').textContent()).replaceAll(' ', ''));
      await square(page, right).click();
      await page.getByText('Right: ').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
    }
    await page.getByText('4 right, 0 missed.').waitFor();
    assert.deepEqual(asked, ['', 'f5d6', 'f5f6', 'f5d6c3d3']);
  });
});

test('a repertoire prints as a sheet', async () => {
  await visit(browser, home, async (page) => {
    await fill(page, home);
    await page.evaluate(() => { window.print = () => { window.printed = true; }; });
    await page.getByRole('button', { name: 'Print' }).click();
    assert.ok(await page.evaluate(() => window.printed));
    await page.emulateMedia({ media: 'print' });
    for (const shown of ['svg.board', '.tree', '.notes']) assert.ok(await page.locator(shown).isVisible(), shown);
    for (const hidden of ['.top', '.notefield', '.repertoire .deeds', '.tree button:has-text("Train")']) assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
  });
});

test('with --write it is kept in the book, undone, and published', async () => {
  const own = await serve({ write: true });
  const folder = mkdtempSync(join(tmpdir(), 'obook-repertoire-'));
  try {
    await visit(browser, own.url, async (page) => {
      const from = new URL('/#/shipped/', own.url).href;
      await fill(page, from);
      const counted = (table) => JSON.parse(obook('query', own.book, `SELECT count(*) AS n FROM ${table}`, '--json'))[0].n;
      assert.deepEqual([counted('marks'), counted('notes')], [4, 1]);
      obook('site', own.book, join(folder, 'club'), '--repertoire');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('.note').waitFor({ state: 'detached' });
      await page.locator('.undo code', { hasText: 'f5f6e6' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('.tree').getByText('3 moves').waitFor();
      assert.deepEqual([counted('marks'), counted('notes')], [3, 0]);
    });
    const site = `${pathToFileURL(join(folder, 'club', 'index.html')).href}#/shipped/`;
    await visit(browser, `${site}f5f6`, async (page) => {
      await settled(page);
      await page.locator('.note', { hasText: 'Diagonal' }).waitFor();
      await page.locator('.tree').waitFor();
      assert.equal(await tree(page), TREE);
      await star(page, 'e6').and(page.locator('[aria-pressed=true]')).waitFor();
      // A visitor’s own marks stay in the browser.
      await star(page, 'd3').click();
      await page.locator('.tree').getByText('5 moves').waitFor();
    });
  } finally {
    await own.stop();
    rmSync(folder, { recursive: true });
  }
});

test('moves are marked after the start position was set up', async () => {
  await visit(browser, `${home}f5`, async (page) => {
    await settled(page);
    await page.keyboard.press('e');
    for (const name of ['Start position', 'Done']) await page.getByRole('button', { name, exact: true }).click();
    await settled(page);
    await panel(page);
    await star(page, 'f5').click();
    await page.locator('.tree').getByText('1 move').waitFor();
  });
});
