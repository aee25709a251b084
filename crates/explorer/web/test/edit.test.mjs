// Changing a book on the page.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { launch, obook, obookLater, serve, settled, visit } from './harness.mjs';

let server;
let browser;
before(async () => { [server, browser] = await Promise.all([serve({ write: true }), launch()]); });
after(async () => {
  await browser?.close();
  await server?.stop();
});
const show = (line) => JSON.parse(obook('show', '--json', server.book, line));
const history = () => JSON.parse(obook('history', '--json', server.book));
const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0');

test('without the token nothing is answered', async () => {
  const { origin } = new URL(server.url);
  const answer = await fetch(`${origin}/api/books`);
  assert.equal(answer.status, 401);
});

test('a person without the token is told so on a page', async () => {
  const page = await browser.newPage();
  const answer = await page.goto(new URL('/', server.url).href);
  assert.equal(answer.status(), 401);
  await page.getByText('This server needs its token: open the address').waitFor();
  await page.close();
});

test('two servers of one machine are open in one browser', async () => {
  const other = await serve({ write: true });
  try {
    await visit(browser, server.url, async (page, context) => {
      await settled(page);
      const second = await context.newPage();
      await second.goto(other.url);
      await settled(second);
      await page.reload();
      await settled(page);
    });
  } finally {
    await other.stop();
  }
});

test('a server that was started again says that its new address is needed', async () => {
  const other = await serve({ write: true });
  try {
    await visit(browser, `${other.url}#/shipped/f5d6`, async (page, context) => {
      await settled(page);
      const renewed = await other.restart();
      await page.getByRole('alert').getByText('This server needs its token').waitFor();
      const second = await context.newPage();
      await second.goto(renewed);
      await settled(second);
      // The browser knows the token now, and the page that was open answers again.
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.locator('.headline', { hasText: signed(show('f5d6').value) }).waitFor();
    }, { expected: [/status of 401/, /ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/] });
  } finally {
    await other.stop();
  }
});

/** Keeps the texts of all notices from now on. */
const listen = (page) => page.evaluate(() => {
  window.notices = [];
  new MutationObserver(() => window.notices.push(document.querySelector('.notice').textContent))
    .observe(document.querySelector('.notice'), { childList: true, subtree: true, characterData: true });
});
const NEWS = 'The book has changed. The page shows the new values.';
/** Waits until the page has looked twice for changes by others. */
const looks = async (page) => {
  for (let count = 0; count < 2; count++) await page.waitForResponse(/\/version$/);
};

test('only changes by others are news', async () => {
  await visit(browser, `${server.url}#/shipped/f5d6`, async (page) => {
    await settled(page);
    await looks(page);
    await listen(page);
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('Value of this position').fill('11');
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await page.locator('.headline', { hasText: '+11' }).waitFor();
    await looks(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: obook edit').waitFor();
    await looks(page);
    const notices = await page.evaluate(() => window.notices);
    assert.ok(notices.some((text) => text.startsWith('Undone: ')), notices.join('|'));
    assert.ok(!notices.includes(NEWS), notices.join('|'));
    await obookLater('edit', server.book, 'f5d6', '--value', '12');
    await page.getByText(NEWS).waitFor();
    await page.locator('.headline', { hasText: '+12' }).waitFor();
    await obookLater('undo', server.book);
  });
});

test('a value is entered, removed and undone; searches are queued', async () => {
  await visit(browser, `${server.url}#/shipped/f5d6`, async (page) => {
    await settled(page);
    const before = show('f5d6').value;
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('Value of this position').fill('9');
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await page.locator('.headline', { hasText: '+9' }).waitFor();
    assert.equal(show('f5d6').value, 9);
    assert.match(history().at(-1).command, /^obook edit shipped\.obook f5d6 --value 9$/);
    await page.getByRole('button', { name: 'Remove the entered value' }).click();
    await page.locator('.headline', { hasText: signed(before) }).waitFor();
    assert.equal(show('f5d6').value, before);
    for (const option of ['--remove', '--value 9']) {
      await page.locator('#panel code', { hasText: option }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(`Undone: obook edit shipped.obook f5d6 ${option}`).waitFor();
    }
    await page.locator('.headline', { hasText: signed(before) }).waitFor();
    await page.getByRole('button', { name: 'Search this position' }).click();
    await page.getByText('1 search waits at level').waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Book' }).click();
    await page.locator('section', { hasText: 'Searched next' }).getByRole('button', { name: 'f5d6', exact: true }).click();
    await page.getByRole('tab', { name: 'Edit' }).waitFor();
    await page.getByRole('button', { name: 'Add this line' }).click();
    await page.getByRole('alert').getByText('The book has all positions of this line').waitFor();
  }, { expected: [/status of 400/] });
});

test('a run that is unfinished shows its progress on the book page', async () => {
  await visit(browser, `${server.url}#/shipped/book`, async (page) => {
    await page.locator('.changes li').first().waitFor();
    await obookLater('learn', server.book, '--recipe', 'quick', '--limit', '12', '--jobs', '1');
    const run = page.locator('.run');
    await run.getByText('Searches in it').waitFor();
    await page.locator('section', { hasText: 'Searched next' }).getByRole('button', { name: /^f5/ }).first().waitFor();
    assert.match(await run.textContent(), /Value of the start/);
  });
});
