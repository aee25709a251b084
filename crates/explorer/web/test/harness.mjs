// A server with a book and games of its own, and a browser whose pages must stay free of complaints.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));
export const program = resolve(process.env.OBOOK ?? join(repository, 'target/debug/obook'));
export const obook = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
/** Runs obook while this process goes on serving its own events. */
export const obookLater = (...args) => new Promise((resolve, reject) => execFile(program, args, (error, out) => (error ? reject(error) : resolve(out))));

/** A player who would like to run a script in everybody's browser. */
export const HOSTILE = '<img src=x onerror="document.title=1">&lt;b&gt; "quoted"';

/** Makes a book with games and serves it, and more books. */
export async function serve({ hostile = true, write = false, more = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'obook-page-'));
  const book = join(folder, 'shipped.obook');
  // Names without folders: they are seen on the book page.
  const inside = (...args) => execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  for (const file of ['examples/games.dat', ...['wtb', 'jou', 'trn'].map((kind) => `examples/levels.${kind}`)]) {
    copyFileSync(join(repository, file), join(folder, basename(file)));
  }
  inside('import', 'games.dat', '--book', 'shipped.obook');
  inside('games', 'import', 'levels.wtb', '--book', 'shipped.obook');
  inside('import', 'games.dat', '--book', 'no-games.obook');
  if (hostile) writeFileSync(join(folder, 'hostile.pgn'), `[Event "${'A very long name of a tournament '.repeat(8)}"]\n[Date "2030.01.02"]\n[Black "${HOSTILE.replaceAll('"', '\\"')}"]\n[White "高梨"]\n[Result "*"]\n\n1. f5 d6 2. c3 *\n`);
  if (hostile) inside('games', 'import', 'hostile.pgn', '--book', 'shipped.obook');
  let server;
  const start = (port) => {
    server = spawn(program, ['serve', 'shipped.obook', 'no-games.obook', ...more, '--port', port, ...(write ? ['--write'] : [])], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    return new Promise((resolve, reject) => {
      createInterface({ input: server.stdout }).once('line', resolve);
      server.once('exit', (code) => reject(new Error(`obook serve ended with ${code}`)));
    });
  };
  const end = () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    return ended;
  };
  const url = await start('0');
  return {
    book, url,
    /** Stops it, and starts it at the same port. Returns its new address. */
    async restart() {
      await end();
      return start(new URL(url).port);
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Debian's headless browser takes half the time of the other. */
const HEADLESS = '/usr/bin/chromium-headless-shell';

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium'),
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** Opens a page, runs the test, and fails if the console is not empty. `expected` are complaints that the test causes. */
export async function visit(browser, address, test, { expected = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const complaints = [];
  const listen = (page) => {
    page.on('console', (line) => complaints.push(`${line.type()}: ${line.text()}`));
    page.on('pageerror', (error) => complaints.push(String(error)));
  };
  context.on('page', listen);
  await context.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}:${event.columnNumber}`)));
  const page = await context.newPage();
  // Long enough for a busy machine.
  page.setDefaultTimeout(30_000);
  try {
    await page.goto(address);
    await page.locator('main').waitFor();
    await test(page, context);
    assert.deepEqual(complaints.filter((text) => !expected.some((known) => known.test(text))), []);
  } finally {
    await context.close();
  }
}

/** The board as obook writes it: 64 signs and the side to move. */
export const boardOf = async (page) => {
  const labels = await page.locator('svg.board [role=gridcell]').evaluateAll((cells) =>
    Object.fromEntries(cells.map((cell) => [cell.dataset.square, cell.getAttribute('aria-label')])));
  const turn = (await page.locator('svg.board').getAttribute('aria-label')).includes('Black') ? 'X' : 'O';
  let signs = '';
  for (const row of '12345678') for (const column of 'abcdefgh') {
    const label = labels[column + row];
    signs += label.includes(', black') ? 'X' : label.includes(', white') ? 'O' : '-';
  }
  return `${signs} ${turn}`;
};

/** Waits for a board, and shows the difference if it doesn't come. */
export async function seesBoard(page, expected) {
  for (let tries = 0; tries < 200 && (await boardOf(page)) !== expected; tries++) await page.waitForTimeout(50);
  assert.equal(await boardOf(page), expected);
}

/** Waits until the answer belongs to the position on the board. */
export const settled = (page) => page.locator('.head:not(.stale)').waitFor();
export const value = (page, name) => page.locator(`[data-value-of=${name}]`);
export const square = (page, name) => page.locator(`[data-square=${name}]`);
