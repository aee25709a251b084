// Another source beside the book: a second book, or a player's games and where he leaves this one.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { obook, settled, square, visit } from './harness.mjs';
import { browser, home, server, signed } from './stage.mjs';

const json = (...args) => JSON.parse(obook(...args, '--json'));
const second = () => join(dirname(server.book), 'no-games.obook');
/** Opens a line, and the panel with this source. */
async function open(page, line, source) {
  await page.goto(home + line);
  await settled(page);
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByLabel('Beside shipped').selectOption(source);
}

test('a second book stands beside the first, differences first', async () => {
  obook('edit', second(), 'f5d6', '--value', '9');
  await visit(browser, home, async (page) => {
    await open(page, 'f5', 'no-games');
    const known = json('show', second(), 'f5').moves.filter(({ score }) => score !== null);
    assert.ok(known.length > 1);
    for (const { move, score } of known) {
      await page.locator(`[data-engine-of=${move}]`, { hasText: signed(score) }).waitFor();
      assert.match(await square(page, move).getAttribute('aria-label'), new RegExp(`, no-games ${signed(score)}`));
    }
    const row = page.locator('.moves tbody tr').first();
    assert.equal(await row.getByRole('button', { name: 'Play' }).textContent(), 'd6');
    assert.deepEqual(await row.locator('.score, td.engine').allTextContents(), [signed(json('show', server.book, 'f5').moves.find(({ move }) => move === 'd6').score), '−9']);
    await page.locator('.legend', { hasText: 'no-games' }).waitFor();
    for (const viewport of [{ width: 1280, height: 860 }, { width: 844, height: 390 }, { width: 320, height: 568 }]) {
      await page.setViewportSize(viewport);
      await page.waitForFunction(() => { const moves = document.querySelector('.moves'); return moves.scrollWidth <= moves.clientWidth; });
    }
    await page.setViewportSize({ width: 1280, height: 860 });
    // It goes along.
    await page.keyboard.press('1');
    await page.waitForURL(/f5d6$/);
    const [best] = json('show', second(), 'f5d6').moves;
    await page.locator(`[data-engine-of=${best.move}]`, { hasText: signed(best.score) }).waitFor();
    await page.getByLabel('Beside shipped').selectOption('');
    await page.locator('[data-engine-of]').first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('.moves .engine').count(), 0);
  });
});

test('a player’s games stand beside the book, with where he leaves it', async () => {
  const sql = 'SELECT name FROM players JOIN games ON player IN (black, white) GROUP BY player ORDER BY count(*) DESC, name LIMIT 1';
  const [{ name }] = json('query', server.book, sql);
  await visit(browser, home, async (page) => {
    await open(page, 'f5', 'shipped');
    await page.getByLabel('Only games of').fill('zzz');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('No player’s name contains this.').waitFor();
    // Of several names one is chosen.
    const part = name.slice(0, 1);
    await page.getByLabel('Only games of').fill(part);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('list', { name: 'Players' }).getByRole('button', { name, exact: true }).click();
    const head = page.locator('.moves thead .col-games');
    await head.filter({ hasText: name }).waitFor();
    const played = json('query', server.book, `SELECT square, count(*) AS n FROM games_at('f5') WHERE '${name}' IN (black, white) AND square IS NOT NULL GROUP BY square`);
    const all = played.reduce((sum, { n }) => sum + n, 0);
    assert.ok(all > 0);
    for (const { square: move, n } of played) {
      const row = page.locator('.moves tbody tr', { has: page.getByRole('button', { name: `Play ${move}` }) });
      await row.locator('.col-games', { hasText: new RegExp(`^${n} · ${Math.round((100 * n) / all)} %`) }).waitFor();
      await page.locator(`[data-engine-of=${move}]`, { hasText: `${Math.round((100 * n) / all)}%` }).waitFor();
    }
    await page.locator('.moves tfoot .col-games', { hasText: String(all) }).or(page.locator('.moves tbody tr').filter({ hasText: `${all} · 100 %` })).first().waitFor();
    const rows = json('repertoire', server.book, name, '--limit', '100');
    await page.locator('.departures').waitFor();
    const cells = await page.locator('.departures tbody tr').evaluateAll((list) => list.map((row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent)));
    assert.deepEqual(cells, rows.map(({ line, square: move, games, loss, by, best }) => [`${line} ${move}`, String(games), loss === null ? '' : `${by === 'at least' ? '≥ ' : ''}${loss}`, best ?? '']));
    // Only his games with one colour.
    await page.getByLabel('The player’s colour').selectOption('white');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const white = json('query', server.book, `SELECT count(*) AS n FROM games JOIN players ON player = white WHERE name = '${name}'`)[0].n;
    await page.getByRole('status').filter({ hasText: new RegExp(`^${white} games?\\. ${name} left the book first in`) }).waitFor();
    await page.locator('.departures').getByRole('button').first().click();
    await page.waitForURL((address) => address.hash !== '#/shipped/f5');
  });
});
