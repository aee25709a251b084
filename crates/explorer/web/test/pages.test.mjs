// The panels beside the board, the other pages, and what happens when the book or the server changes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HOSTILE, obook, obookLater, seesBoard, settled, square, visit } from './harness.mjs';
import { browser, home, server, show, signed } from './stage.mjs';

test('a write from another process is noticed', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    // The page has to have seen the version before the change.
    await page.waitForResponse(/\/version$/);
    await obookLater('edit', server.book, 'f5d6', '--value', '7');
    await page.getByText('The book has changed').waitFor();
    await page.locator('.headline', { hasText: '+7' }).waitFor();
    await obookLater('undo', server.book);
    await page.locator('.headline', { hasText: signed(show('f5d6').value) }).waitFor();
  });
});

test('games that another process imports are counted at once', async () => {
  await visit(browser, `${home.replace('shipped', 'no-games')}f5d6`, async (page) => {
    await page.getByText('This book has no games.').waitFor();
    await page.waitForResponse(/\/version$/);
    const book = server.book.replace('shipped', 'no-games');
    await obookLater('games', 'import', server.book.replace('shipped.obook', 'levels.wtb'), '--book', book);
    await page.locator('.games .players').first().waitFor();
    await obookLater('undo', book);
    await page.getByText('This book has no games.').waitFor();
  });
});

test('another book is chosen, and one without games says so', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await page.getByLabel('Book', { exact: true }).selectOption('no-games');
    await page.waitForURL(/#\/no-games\/f5d6$/);
    await page.getByText('This book has no games.').waitFor();
    await settled(page);
    assert.equal(await page.locator('.bar').count(), 0);
  });
});

test('the SQL behind the table of moves gives the same moves', async () => {
  await visit(browser, `${home}f5d6c3`, async (page) => {
    await settled(page);
    await page.locator('.moves').getByRole('button', { name: 'SQL' }).click();
    await page.locator('.results td').first().waitFor();
    const rows = await page.locator('.results tbody tr').evaluateAll((list) => list.map((row) => row.cells[0].textContent));
    for (const { move } of show('f5d6c3').moves) assert.ok(rows.includes(move), move);
    assert.equal(await page.title(), 'SQL – shipped – obook');
  });
});

test('names in games are text, whatever they contain', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    const game = page.locator('.games .players').filter({ hasText: '高梨' });
    assert.equal(await game.getByRole('button').textContent(), `${HOSTILE} – 高梨`);
    assert.equal(await page.locator('main img').count(), 0);
    await game.getByRole('button').click();
    await page.locator('.line', { hasText: 'c3' }).waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Player').fill('nobody has this name');
    await page.keyboard.press('Enter');
    await page.getByText('No game here fits the filters.').waitFor();
  });
});

test('the panels explain the value, list other ways and search', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    await page.keyboard.press('w');
    await page.locator('#panel', { hasText: `The position is worth ${signed(show('f5d6').value)} for Black` }).waitFor();
    await page.goto(`${home}f5d6c6f6e6`);
    await settled(page);
    await page.keyboard.press('o');
    const other = page.locator('#panel').getByRole('button', { name: /^[a-h1-8]{10}$/ });
    assert.notEqual(await other.textContent(), 'f5d6c6f6e6');
    await other.click();
    await page.waitForURL(/#\/shipped\/(?!f5d6c6f6e6)[a-h1-8]{10}$/);
    await settled(page);
    assert.equal(await page.locator('.headline').textContent(), signed(show('f5d6c6f6e6').value));
    await page.keyboard.press('h');
    await page.locator('#panel tbody tr').first().waitFor();
    await page.keyboard.press('Home');
    await page.locator('#panel').getByRole('row', { name: /^e6 / }).waitFor();
  });
});

test('the book page has sizes, plots, moves to look at, and the history', async () => {
  await visit(browser, `${home}book`, async (page) => {
    await page.locator('dd', { hasText: '247' }).first().waitFor();
    await page.getByAltText('Positions by value').waitFor();
    await page.getByText('obook import').first().waitFor();
    await page.locator('section', { hasText: 'Where to grow' }).getByRole('button', { name: /^f5/ }).first().click();
    await page.locator('svg.board').waitFor();
  });
});

test('SQL: boards are drawn, errors are marked at their place, a long query can be stopped', async () => {
  const query = (sql) => `${home}sql?q=${encodeURIComponent(sql)}`;
  await visit(browser, query("SELECT board, value FROM positions WHERE board = board('')"), async (page, context) => {
    await page.locator('.results .smallboard').waitFor();
    assert.equal(await page.locator('.results .smallboard circle').count(), 4);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT nothing FROM positions');
    await page.keyboard.press('Shift+Enter');
    await page.locator('.sqlerror', { hasText: 'nothing' }).waitFor();
    assert.equal(await page.locator('.cm-content .error').textContent(), 'nothing');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const board = await context.newPage();
    await board.goto(`${home}f5d6`);
    await board.locator('.headline').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.sqlerror', { hasText: 'Stopped' }).waitFor();
    await page.getByRole('button', { name: 'Best play' }).click();
    await page.locator('.results').getByRole('button', { name: /^f5d6/ }).first().waitFor();
  }, { expected: [/status of 400/] });
});

test('SQL: rows are those of the book and of the address', async () => {
  const sql = (query) => `${home}sql?${new URLSearchParams({ q: query }).toString()}`;
  await visit(browser, sql('SELECT 1 AS one'), async (page) => {
    const cell = page.locator('.results td');
    await cell.filter({ hasText: /^1$/ }).waitFor();
    await page.evaluate((link) => { location.hash = new URL(link).hash; }, sql('SELECT 2 AS two'));
    await cell.filter({ hasText: /^2$/ }).waitFor();
    await page.getByLabel('Book', { exact: true }).selectOption('no-games');
    await page.waitForURL(/#\/no-games\/sql/);
    // The page is drawn after its address has changed.
    await cell.waitFor({ state: 'detached' });
    assert.equal(await cell.count(), 0);
  });
});

test('the keys of the buttons on every page work on every page', async () => {
  await visit(browser, `${home}book`, async (page) => {
    await page.locator('dd', { hasText: '247' }).first().waitFor();
    for (const key of ['?', 'i']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      // A closed dialog stays in the page for a moment, and keys count only once it is gone.
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    // Keys of the board stay there.
    await page.keyboard.press('t');
    assert.equal(new URL(page.url()).hash, '#/shipped/book');
  });
});

test('SQL: boards have their colours, and a click shows their position', async () => {
  const { board, key } = show('f5');
  const sql = `SELECT '${key}' AS known, '${board}' AS written, '${board.slice(0, 64)}' AS bare`;
  const drawn = (cell) => cell.locator('circle').evaluateAll((discs) => {
    const signs = Array(64).fill('-');
    for (const disc of discs) signs[Number(disc.getAttribute('cy') - 5) / 10 * 8 + (disc.getAttribute('cx') - 5) / 10] = disc.classList.contains('black') ? 'X' : 'O';
    return signs.join('');
  });
  await visit(browser, `${home}sql?q=${encodeURIComponent(sql)}`, async (page) => {
    const boards = page.locator('.results .smallboard');
    await boards.nth(2).waitFor();
    const count = (signs, sign) => [...signs].filter((other) => other === sign).length;
    const known = await drawn(boards.nth(0));
    assert.deepEqual([count(known, 'X'), count(known, 'O')], [4, 1], 'Black has played one move');
    assert.equal(await drawn(boards.nth(1)), board.slice(0, 64));
    await boards.nth(0).click();
    await page.waitForURL(/#\/shipped\/[a-h][1-8]$/);
    await page.getByText('White to move').first().waitFor();
    await page.goBack();
    await boards.nth(1).click();
    await seesBoard(page, board);
  });
});

test('SQL: the exports have every column and every digit', async () => {
  const sql = "SELECT 1 AS a, 2 AS a, 'x' AS z, 5 AS \"1\", 9007199254740993 AS a_2, -9223372036854775807 AS least, NULL AS none";
  await visit(browser, `${home}sql?q=${encodeURIComponent(sql)}`, async (page) => {
    await page.locator('.results td').first().waitFor();
    const exported = async (name) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
      return readFileSync(await download.path(), 'utf8');
    };
    const asked = ['query', server.book, sql];
    assert.equal(await exported('JSON'), obook(...asked, '--json'));
    assert.equal((await exported('CSV')).replaceAll('\r', ''), obook(...asked, '--format', 'csv').replaceAll('\r', ''));
    const shown = await page.locator('.results tbody td').allTextContents();
    assert.deepEqual(shown, ['1', '2', 'x', '5', '9007199254740993', '-9223372036854775807', 'NULL']);
  });
});

test('a part that can’t be loaded says so, and comes when the server is back', async () => {
  await visit(browser, `${home}f5`, async (page, context) => {
    await settled(page);
    await context.setOffline(true);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'SQL' }).click();
    await page.getByRole('alert').getByText('This page can’t be loaded').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'SQL' }).waitFor();
  }, { expected: [/ERR_INTERNET_DISCONNECTED/] });
});

test('searches for a higher value are those of obook why', async () => {
  // In small books the first moves have some without a limit.
  const why = (line) => fetch(`${server.url}api/shipped/why?at=${line}`).then((answer) => answer.json());
  const unlimited = [];
  for (const line of ['', 'f5', 'f5d6', 'f5d6c3', 'f5d6c3d3', 'f5f6', 'f5f4', 'f5d6c4', 'f5f6e6f4']) {
    if ((await why(line)).too_low?.some(({ at_most: most }) => most == null)) unlimited.push(line);
  }
  assert.ok(unlimited.length > 0);
  await visit(browser, `${home}${unlimited[0]}`, async (page) => {
    await settled(page);
    await page.keyboard.press('w');
    const list = page.locator('#panel ul').first();
    await list.locator('li').first().waitFor();
    for (const text of await list.locator('li').allTextContents()) {
      assert.match(text, /(not searched yet|as good as the best|[1-4] worse than the best)(, at most [+−0]\d*)?$/);
    }
  });
});

test('moves that are reached from several positions are marked', async () => {
  await visit(browser, `${home}f5d6c6f6`, async (page) => {
    await settled(page);
    const mark = page.locator('.moves .ways').first();
    await mark.waitFor();
    const square = await page.locator('.moves tr', { has: page.locator('.ways') }).first().getByRole('button').textContent();
    const parents = await (await fetch(`${server.url}api/shipped/position?at=f5d6c6f6${square}`)).json().then((found) => found.parents);
    assert.ok(parents > 1);
    assert.equal(await mark.textContent(), `⇄ ${parents}`);
  });
});

test('rows of a query are drawn as a chart', async () => {
  const counts = 'SELECT empties, count(*) AS positions FROM positions GROUP BY empties ORDER BY empties';
  await visit(browser, `${home}sql?q=${encodeURIComponent(counts)}`, async (page) => {
    await page.locator('.results td').first().waitFor();
    const rows = await page.locator('.results tbody tr').evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
    await page.getByRole('button', { name: 'Chart' }).click();
    const titles = await page.locator('.sqlchart rect title').allTextContents();
    assert.deepEqual(titles, rows.map(([empties, positions]) => `empties ${empties}: ${positions}`));
    const bars = await page.locator('.sqlchart rect').evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    const counted = rows.map(([, positions]) => Number(positions));
    const high = (values) => values.indexOf(Math.max(...values));
    assert.equal(high(bars), high(counted));
  });
  // Labels of uneven steps keep apart.
  const uneven = 'SELECT 1000000 + empties AS n, count(*) AS positions FROM positions GROUP BY empties UNION ALL SELECT 1001000, 1';
  await visit(browser, `${home}sql?q=${encodeURIComponent(uneven)}`, async (page) => {
    await page.getByRole('button', { name: 'Chart' }).click();
    const labels = await page.locator('.sqlchart .across').evaluateAll((all) => all.map((text) => text.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    assert.equal(labels.length, 2);
    assert.ok(labels[0][1] <= labels[1][0], `${labels}`);
  });
});

test('without the server the loaded page still plays, and says what is wrong', async () => {
  await visit(browser, `${home}f5`, async (page, context) => {
    await settled(page);
    await context.setOffline(true);
    await square(page, 'd6').click();
    await page.getByRole('alert').first().waitFor();
    await seesBoard(page, show('f5d6').board);
    await context.setOffline(false);
    await page.locator('.headline').waitFor();
  }, { expected: [/ERR_INTERNET_DISCONNECTED/] });
});
