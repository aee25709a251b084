// A book as a folder: opened from the disk, and from a web server that knows nothing of obook.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { obook, seesBoard, settled, square, value, visit } from './harness.mjs';
import { browser, server, show, signed } from './stage.mjs';

const PLIES = 6;
let folder;
let host;
let made = null;

/** A web server that knows nothing of obook, with the site below this path. */
async function hosted(below) {
  const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
  const made = createServer((request, response) => {
    const name = new URL(request.url, 'http://x').pathname.slice(below.length) || 'index.html';
    response.setHeader('content-type', kinds[extname(name)] ?? 'text/plain');
    response.end(readFileSync(join(folder, 'site', name)));
  });
  await new Promise((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}

/** The addresses of the site: from the disk, and below a folder of a web server. */
async function make() {
  folder = mkdtempSync(join(tmpdir(), 'obook-site-'));
  obook('site', server.book, join(folder, 'site'), '--plies', String(PLIES));
  host = await hosted('/club/');
  return [`${pathToFileURL(join(folder, 'site', 'index.html')).href}#/shipped/`, `http://127.0.0.1:${host.address().port}/club/#/shipped/`];
}
/** They are made once, when the first test needs them. */
const homes = () => (made ??= make());

after(() => {
  host?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the site has the values of the book, in all orientations', async () => {
  for (const home of await homes()) {
    await visit(browser, home, async (page) => {
      for (const line of ['', 'f5d6', 'd3c5', 'c4e3f6', 'f5d6c3d3c4', 'f5f4e3d6']) {
        await page.goto(home + line);
        await settled(page);
        const expected = show(line);
        await seesBoard(page, expected.board);
        assert.equal(await page.locator('.headline').textContent(), signed(expected.value), line);
        for (const { move, score, kind } of expected.moves) {
          const written = kind === 'leaf' ? `⟨${signed(score)}⟩` : signed(score);
          assert.equal(await value(page, move).locator('.score').textContent(), written, `${line} ${move}`);
        }
        const opening = await page.getByRole('heading', { level: 1 }).textContent();
        if (expected.opening) assert.ok(opening.includes(expected.opening.name), `${line}: ${opening}`);
      }
    });
  }
});

test('moves are played, and the site says where it ends', async () => {
  const [home] = await homes();
  await visit(browser, home, async (page) => {
    // Along moves that stay in the book, one further than the site goes.
    let line = '';
    for (let ply = 0; ply <= PLIES; ply++) {
      await settled(page);
      assert.equal(await page.locator('.headline').textContent(), signed(show(line).value), line);
      const { move } = show(line).moves.find(({ kind }) => kind === 'link');
      await square(page, move).click();
      line += move;
      await page.waitForFunction((end) => location.hash.endsWith(end), `/${line}`);
    }
    await page.getByText('not on this page').waitFor();
    await page.getByText('This page goes no further here.').waitFor();
    assert.equal(await page.locator('.chart text.end').textContent(), 'this page ends');
    assert.ok((await page.locator('.square.legal').count()) > 0, 'one can play on');
    await page.keyboard.press('i');
    await page.getByRole('dialog').getByRole('textbox').fill('tiger');
    await page.keyboard.press('Enter');
    await seesBoard(page, show('tiger').board);
    await page.keyboard.press('i');
    await page.getByRole('dialog').getByRole('textbox').fill('f5f5');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });
});

test('the trainer and the book page need no server, and nothing else is offered', async () => {
  const [home] = await homes();
  await visit(browser, home, async (page) => {
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('button').allTextContents();
    assert.deepEqual(names, ['Board', 'Train', 'Book']);
    assert.equal(await page.getByRole('button', { name: 'SQL' }).count(), 0);
    await page.goto(`${home}train`);
    await page.getByLabel('Opening: moves').fill('f5d6c3d3c4f4f6');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('This page has no position here').waitFor();
    await page.getByLabel('Opening: moves').fill('f5d6');
    await page.getByLabel('Moves after the opening').fill('3');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('What does the book play').waitFor();
    await square(page, show('f5d6').moves[0].move).click();
    await page.getByText('Right: ').waitFor();
    await page.goto(`${home}book`);
    await page.getByAltText('Positions by value').waitFor();
    await page.locator('section', { hasText: 'Where to grow' }).getByRole('button', { name: /^f5/ }).first().waitFor();
    assert.equal(await page.getByText('History').count(), 0);
  });
});

test('a folder on a web host is kept for times without a network', async () => {
  await homes();
  const once = await hosted('/');
  const address = `http://127.0.0.1:${once.address().port}/`;
  await visit(browser, `${address}#/shipped/`, async (page) => {
    await settled(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    once.close();
    once.closeAllConnections();
    for (const line of ['f5d6c3', 'f5f4e3d6']) {
      await page.goto(`${address}#/shipped/${line}`);
      await page.reload();
      await settled(page);
      await seesBoard(page, show(line).board);
      assert.equal(await page.locator('.headline').textContent(), signed(show(line).value), line);
    }
  }, { expected: [/ERR_CONNECTION_REFUSED/] });
});

test('the folder tells nothing about the disk it came from', async () => {
  await homes();
  for (const name of readdirSync(join(folder, 'site'))) {
    assert.ok(!readFileSync(join(folder, 'site', name), 'utf8').includes(tmpdir()), name);
  }
});
