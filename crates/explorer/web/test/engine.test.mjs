// The engine on the board: beyond the book by its switch, in the book by its panel, level after level.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { settled, square, value, visit } from './harness.mjs';
import { browser, home, server, show, signed } from './stage.mjs';

/** Moves of which the book knows only the first. */
const BEYOND = 'f5f6e6f4g5';
/** The scores of a search, by square. */
const searched = async (line, level) => {
  const lines = (await (await fetch(`${server.url}api/shipped/hint?at=${line}&level=${level}`)).text()).trim().split('\n');
  return JSON.parse(lines.at(-1)).moves;
};
const found = (page, name) => page.locator(`[data-engine-of=${name}]`);
const atLevel = (page, level) => page.locator('.legend', { hasText: `the engine, level ${level}` }).filter({ hasNotText: '…' });

/** Opens the board with the engine at a level. */
const begin = async (page, line, level) => {
  await page.evaluate((to) => localStorage.setItem('obook.engine', String(to)), level);
  await page.goto(home + line);
  await page.reload();
  await settled(page);
};

test('beyond the book the engine searches on while one walks, and the curve goes on dashed', async () => {
  await visit(browser, home, async (page) => {
    const asked = [];
    page.on('request', (request) => { if (request.url().includes('/hint?')) asked.push(new URL(request.url()).searchParams.get('at')); });
    await begin(page, BEYOND, 3);
    await page.getByText('The book doesn’t know this position.').waitFor();
    assert.deepEqual(asked, [], 'nobody has asked for the engine');
    await page.keyboard.press('a');
    await atLevel(page, 3).waitFor();
    const moves = await searched(BEYOND, 3);
    for (const { square: name, score } of moves) assert.equal(await found(page, name).locator('text').textContent(), signed(score), name);
    const best = moves.filter(({ score }) => score === moves[0].score).map(({ square: name }) => name);
    assert.equal(await page.locator('.value.engine .ring').count(), best.length);
    assert.equal(await page.locator('.headline.engine').textContent(), signed(moves[0].score));
    assert.match(await square(page, best[0]).getAttribute('aria-label'), new RegExp(`engine ${signed(moves[0].score).replace('+', '\\+')}`));
    assert.deepEqual(await page.locator('.moves tbody td.engine').allTextContents(), moves.map(({ score }) => score).sort((a, b) => b - a).map(signed));
    // It goes on at the next position, and what it has found stays.
    await page.keyboard.press(' ');
    await page.waitForURL(/f5f6e6f4g5[a-h][1-8]$/);
    await atLevel(page, 3).waitFor();
    assert.equal(asked.length, 2);
    const dashes = await page.locator('.chart .searched').getAttribute('d');
    assert.equal(dashes.match(/[ML]/g).length, 2, dashes);
    await page.keyboard.press('ArrowLeft');
    await atLevel(page, 3).waitFor();
    await page.keyboard.press('v');
    assert.equal(await page.locator('[data-engine-of]').count(), 0, 'hidden with the other values');
    await page.keyboard.press('v');
    // In the book it rests, and when it is switched off.
    await page.keyboard.press('Home');
    await settled(page);
    await page.waitForTimeout(600);
    assert.equal(asked.length, 2);
    await page.keyboard.press('End');
    await page.keyboard.press('a');
    await square(page, (await searched(`${asked.at(-1)}`, 1))[0].square).click();
    await page.getByText('The book doesn’t know this position.').waitFor();
    await page.waitForTimeout(600);
    assert.equal(asked.length, 2);
  });
});

test('in the book the panel puts the engine’s values beside those of the book', async () => {
  await visit(browser, home, async (page) => {
    await begin(page, 'f5d6', 2);
    assert.equal(await page.locator('[data-engine-of]').count(), 0);
    await page.keyboard.press('h');
    await page.getByRole('status').filter({ hasText: /^Level 2$/ }).waitFor();
    const book = show('f5d6').moves;
    for (const { square: name, score } of await searched('f5d6', 2)) {
      assert.equal(await found(page, name).locator('text').textContent(), signed(score), name);
      const known = book.find(({ move }) => move === name);
      assert.equal(await value(page, name).count(), known ? 1 : 0);
    }
    assert.equal(await page.locator('.value.engine .ring').count(), 0, 'the ring is the book’s');
  });
});

test('a search stops when nobody sees it: at another position, on another page, behind another tab', async () => {
  await visit(browser, home, async (page) => {
    const running = new Set();
    const isHint = (request) => request.url().includes('/hint?');
    page.on('request', (request) => { if (isHint(request)) running.add(request); });
    for (const over of ['requestfinished', 'requestfailed']) page.on(over, (request) => running.delete(request));
    const runs = async (count) => { for (let tries = 0; tries < 100 && running.size !== count; tries++) await page.waitForTimeout(50); return running.size === count; };
    const none = () => runs(0);
    await begin(page, BEYOND, 30);
    const search = async () => {
      await page.goto(home + BEYOND);
      await page.locator('.legend', { hasText: /the engine, level \d+ …/ }).waitFor();
      assert.ok(await runs(1), `${running.size} searches`);
    };
    await page.keyboard.press('a');
    await search();
    await page.keyboard.press('Home');
    assert.ok(await none(), 'another position');
    await search();
    await page.getByRole('button', { name: 'Train' }).click();
    assert.ok(await none(), 'another page');
    await search();
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    assert.ok(await none(), 'another tab');
  });
});
