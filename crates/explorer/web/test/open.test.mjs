// Files from the browser: games, which are listed, and books.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, obook, repository, serve, settled, visit } from './harness.mjs';

let server;
let browser;
let home;
before(async () => {
  [server, browser] = await Promise.all([serve({ hostile: false, write: true }), launch()]);
  home = `${server.url}#/shipped/`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const example = (name) => join(repository, 'examples', name);
const LEVELS = ['levels.jou', 'levels.trn', 'levels.wtb'].map(example);
/** Drops files on the page. */
const drop = async (page, paths) => {
  const files = paths.map((path) => ({ name: path.split('/').at(-1), bytes: readFileSync(path).toString('base64') }));
  await page.evaluate((all) => {
    const data = new DataTransfer();
    for (const { name, bytes } of all) data.items.add(new File([Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0))], name));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
};
const paste = (page, text) => page.evaluate((pasted) => {
  const data = new DataTransfer();
  data.setData('text/plain', pasted);
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
}, text);
const rows = (page) => page.locator('.games tbody tr');
const listed = (page, count) => page.waitForFunction((expected) => document.querySelectorAll('.panels > div > div:not(.stale) .games tbody tr').length === expected, count);

test('dropped games are listed, one opens with its players and is reviewed, and the list comes back', async () => {
  await visit(browser, home, async (page) => {
    await page.evaluate(() => localStorage.setItem('obook.review', '2'));
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Train' }).click();
    await drop(page, LEVELS);
    await page.getByText('Games of levels').waitFor();
    await listed(page, 50);
    const names = await rows(page).nth(1).getByRole('button').first().textContent();
    await rows(page).nth(1).getByRole('button').first().click();
    await page.getByRole('tab', { name: 'Review', selected: true }).waitFor();
    assert.ok((await page.locator('.gamehead').textContent()).startsWith(names));
    await page.getByRole('status').filter({ hasText: 'Level 2' }).waitFor();
    assert.match(page.url(), /#\/shipped\/(?:[a-h][1-8]){20,}/, 'the book stays');
    await page.getByRole('button', { name: 'All games' }).click();
    await rows(page).nth(1).getByRole('button').first().waitFor();
    await page.getByRole('button', { name: 'Close the list' }).click();
    await page.getByText('Games of levels').waitFor({ state: 'detached' });
  });
});

test('many games are pasted, and a single one opens at once', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    await paste(page, 'f5d6c3d3c4\nf5f6e6f4\n');
    await page.getByText('Games of pasted').waitFor();
    await listed(page, 2);
    await page.keyboard.press('i');
    await page.getByRole('dialog').locator('input[type=file]').setInputFiles(example('game.txt'));
    await page.getByRole('tab', { name: 'Review', selected: true }).waitFor();
    await page.waitForURL(new RegExp(`/${readFileSync(example('game.txt'), 'utf8').trim().replaceAll('pa', '')}$`));
  });
});

test('a book is opened, read, and never written', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    await page.getByRole('tab', { name: 'Edit' }).waitFor();
    await page.keyboard.press('i');
    await page.getByRole('dialog').locator('input[type=file]').setInputFiles(example('games.dat'));
    await page.waitForURL(/#\/games\/f5d6$/);
    await settled(page);
    const { value } = JSON.parse(obook('show', '--json', example('games.dat'), 'f5d6'));
    assert.equal(await page.locator('.headline').textContent(), value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0');
    assert.equal(await page.getByRole('tab', { name: 'Edit' }).count(), 0);
    await page.getByLabel('Book', { exact: true }).selectOption('shipped');
    await page.getByRole('tab', { name: 'Edit' }).waitFor();
    await drop(page, [join(repository, 'crates/explorer/web/src/icon.svg')]);
    await page.locator('.notice p', { hasText: 'icon.svg' }).waitFor();
  }, { expected: [/status of 400/] });
});

test('what of the files can’t be read is said', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    await drop(page, [example('games.dat'), example('levels.wtb')]);
    await page.locator('.notice p', { hasText: 'a book among several files' }).waitFor();
    await page.keyboard.press('i');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles({ name: 'faulty.txt', mimeType: 'text/plain', buffer: Buffer.from('f5d6c3\nxx\nf5f6\n') });
    await dialog.getByRole('alert').getByText('1 game has a faulty record; everything else was read.').waitFor();
    await listed(page, 2);
  }, { expected: [/status of 400/] });
});
