// The review: what the moves of a game gave up, and games pasted with their players.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obook, repository, seesBoard, settled, square, visit } from './harness.mjs';
import { browser, home, server, show } from './stage.mjs';

const GAME = readFileSync(join(repository, 'examples/game.txt'), 'utf8').trim();
const PGN = `[Event "Kanto"]\n[Date "2004.05.??"]\n[Black "Sekiguchi"]\n[White "<b>"]\n[Result "*"]\n\n1. ${GAME.match(/../g).join(' ')} *\n`;

/** The move that was better; null if the search took the played one for the best. */
const better = ({ move, best }) => (best === move ? null : best);

/** Pastes a text on the page. */
const paste = (page, text) => page.evaluate((pasted) => {
  const data = new DataTransfer();
  data.setData('text/plain', pasted);
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
}, text);

test('a pasted game is reviewed with the numbers of obook check', async () => {
  const checked = JSON.parse(obook('check', GAME, '--book', server.book, '--level', '3', '--json')).games[0];
  const moves = checked.moves.filter(({ move }) => move !== 'pa');
  const costly = moves.flatMap(({ loss }, index) => (loss > 2 ? [index] : []));
  assert.ok(costly.length > 3, `${costly}`);
  await visit(browser, home, async (page) => {
    await page.evaluate(() => localStorage.setItem('obook.review', '3'));
    await page.reload();
    await settled(page);
    await paste(page, PGN);
    await page.getByRole('tab', { name: 'Review', selected: true }).waitFor();
    assert.match(await page.locator('.gamehead').textContent(), /Sekiguchi – <b>.*Kanto · 2004-05/);
    await page.getByRole('status').filter({ hasText: 'Level 3' }).waitFor();
    const rows = page.locator('.mistakes tbody tr');
    assert.deepEqual(await rows.locator('td:nth-child(2)').allTextContents(), costly.map((index) => String(moves[index].loss)));
    assert.deepEqual(await rows.locator('td:nth-child(3)').allTextContents(), costly.map((index) => better(moves[index]) ?? ''));
    for (const [row, side] of [[0, 'black'], [1, 'white']]) {
      const given = moves.filter((move) => move.side === side && move.choice).reduce((sum, { loss }) => sum + loss, 0);
      assert.equal(await page.locator('.sums tbody tr').nth(row).locator('td').nth(2).textContent(), String(given));
    }
    const marks = await page.locator('.line button:not(:first-child)').allTextContents();
    marks.forEach((text, index) => assert.equal(/\?*$/.exec(text)[0], moves[index].loss > 6 ? '??' : moves[index].loss > 2 ? '?' : '', `${index} ${text}`));
    assert.equal(await page.locator('.chart .mistakepoint').count(), costly.length);
    // Enter walks from mistake to mistake: to the position before it, where the better move has a frame.
    await page.keyboard.press('Home');
    for (const index of costly.filter((at) => better(moves[at])).slice(0, 2)) {
      await page.keyboard.press('Enter');
      await page.locator('.line .here').filter({ hasText: index === 0 ? 'Start' : moves[index - 1].move }).waitFor();
      const framed = page.locator('.square').filter({ has: page.locator('.better') });
      assert.equal(await framed.getAttribute('data-square'), better(moves[index]));
      assert.match(await framed.getAttribute('aria-label'), /better than the next move/);
    }
    await page.getByRole('button', { name: 'Close the game' }).click();
    assert.equal(await page.locator('.gamehead').count(), 0);
  });
});

/** Opens the board with a review of a game at level 3. */
const reviewed = async (page, game) => {
  await page.evaluate(() => localStorage.setItem('obook.review', '3'));
  await page.reload();
  await settled(page);
  await paste(page, game);
  await page.getByRole('status').filter({ hasText: 'Level 3' }).waitFor();
};

test('a review is saved with the remarks of obook check, and printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'obook-review-'));
  const pgn = join(folder, 'game.pgn');
  writeFileSync(pgn, PGN);
  await visit(browser, home, async (page) => {
    await reviewed(page, PGN);
    for (const format of ['ggf', 'sgf']) {
      const file = join(folder, `checked.${format}`);
      obook('check', pgn, '--book', server.book, '--level', '3', '--output', file);
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Save as ${format.toUpperCase()}` }).click()]);
      assert.equal(download.suggestedFilename(), `game.${format}`);
      assert.equal(readFileSync(await download.path(), 'utf8'), readFileSync(file, 'utf8'));
    }
    await page.evaluate(() => { window.print = () => { window.printed = true; }; });
    await page.getByRole('button', { name: 'Print' }).click();
    assert.ok(await page.evaluate(() => window.printed));
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.top', '.tools', '[role=tablist]', '.deeds']) assert.equal(await page.locator(hidden).isVisible(), false, hidden);
    const [board, mistakes] = await Promise.all(['svg.board', '.mistakes'].map((part) => page.locator(part).boundingBox()));
    assert.ok(mistakes.x >= board.x + board.width, 'the table stands beside the board');
    for (const shown of ['.gamehead', 'svg.board', '.line', '.chart', '.sums', '.mistakes']) assert.ok(await page.locator(shown).isVisible(), shown);
  });
  rmSync(folder, { recursive: true });
});

test('the trainer asks for the better moves of a review, and the game comes back', async () => {
  const { moves } = JSON.parse(obook('check', GAME, '--book', server.book, '--level', '3', '--json')).games[0];
  const played = moves.filter(({ move }) => move !== 'pa');
  const index = played.findIndex((move) => move.loss > 2 && better(move));
  await visit(browser, home, async (page) => {
    await reviewed(page, PGN);
    await page.getByRole('button', { name: 'Train these' }).click();
    await page.getByText('What is best for').waitFor();
    assert.equal((await page.locator('.way').textContent()).replaceAll(' ', ''), played.slice(0, index).map(({ move }) => move).join(''));
    await square(page, played[index].move).click();
    await page.getByText(/^Better is /).waitFor();
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('button', { name: 'Back to its moves' }).click();
    await page.waitForURL(new RegExp(`/${GAME.replaceAll('pa', '')}$`));
    assert.equal(await page.getByRole('button', { name: 'Back to its moves' }).count(), 0);
  });
});

test('links are pasted like moves', async () => {
  await visit(browser, home, async (page) => {
    for (const link of ['https://www.eothello.com/#f5d6c3', `${server.url}#/shipped/f5d6c3`]) {
      await page.goto(home);
      await settled(page);
      await paste(page, link);
      await page.waitForURL(/#\/shipped\/f5d6c3$/);
      await seesBoard(page, show('f5d6c3').board);
    }
    await paste(page, 'https://www.playok.com/p/?g=rv75268000');
    await page.locator('.notice', { hasText: 'This link has no moves' }).waitFor();
  }, { expected: [/status of 400/] });
});
