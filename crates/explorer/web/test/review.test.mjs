// The review: what the moves of a game gave up, and games pasted with their players.

import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { obook, repository, seesBoard, settled, visit } from './harness.mjs';
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

test('links are pasted like moves', async () => {
  await visit(browser, home, async (page) => {
    for (const link of ['https://www.eothello.com/#f5d6c3', `${server.url}#/shipped/f5d6c3`]) {
      await page.goto(home);
      await settled(page);
      await paste(page, link);
      await page.waitForURL(/#\/shipped\/f5d6c3$/);
      await seesBoard(page, show('f5d6c3').board);
    }
  });
});
