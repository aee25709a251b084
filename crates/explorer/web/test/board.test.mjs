// The board: values, playing, history, notations, orientations.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { boardOf, obook, seesBoard, settled, square, value, visit } from './harness.mjs';
import { browser, home, server, show, signed } from './stage.mjs';

test('values on the board and in the table are those of obook show', async () => {
  await visit(browser, home, async (page) => {
    for (const line of ['', 'f5d6', 'f5d6c3', 'f5f4e3d6']) {
      await page.goto(home + line);
      await settled(page);
      const expected = show(line);
      await seesBoard(page, expected.board);
      assert.equal(await page.locator('.headline').textContent(), signed(expected.value));
      const best = Math.max(...expected.moves.map(({ score }) => score));
      for (const { move, score, kind } of expected.moves) {
        const written = kind === 'leaf' ? `⟨${signed(score)}⟩` : signed(score);
        assert.equal(await value(page, move).locator('.score').textContent(), written, `${line} ${move}`);
        assert.equal(await value(page, move).locator('.ring').count(), score === best ? 1 : 0, `${line} ${move}`);
        const row = page.locator('.moves tbody tr').filter({ has: page.getByRole('button', { name: `Play ${move}`, exact: true }) });
        assert.equal(await row.locator('.score').textContent(), written);
      }
    }
  });
});

test('games are counted in per cent, with their sum, and told by colours', async () => {
  await visit(browser, home, async (page) => {
    for (const line of ['', 'f5d6', 'f5d6c3']) {
      await page.goto(home + line);
      await settled(page);
      const { turn, moves } = await fetch(`${server.url}api/shipped/position?at=${line}`).then((answer) => answer.json());
      const played = moves.filter(({ games }) => games);
      // At the start all moves are the same.
      const different = played.filter(({ child }, index) => played.findIndex((other) => other.child === child) === index);
      const total = different.reduce((sum, { games }) => sum + games.move, 0);
      const told = ({ wins, draws, losses }) => { const [black, white] = turn === 'black' ? [wins, losses] : [losses, wins]; return `${black} won by Black, ${draws} drawn, ${white} won by White`; };
      for (const { square: name, games } of played) {
        const row = page.locator('.moves tbody tr').filter({ has: page.getByRole('button', { name: `Play ${name}`, exact: true }) });
        assert.equal(await row.locator('.share').textContent(), ` · ${Math.round((100 * games.move) / total)} %`);
        assert.equal(await row.locator('.bar title').textContent(), told(games));
      }
      const sum = page.locator('.moves tfoot tr');
      assert.equal(await sum.count(), different.length > 1 ? 1 : 0);
      if (different.length === 1) continue;
      assert.equal(await sum.locator('.col-games').textContent(), String(total));
      const all = (name) => different.reduce((count, { games }) => count + games[name], 0);
      assert.equal(await sum.locator('.bar title').textContent(), told({ wins: all('wins'), draws: all('draws'), losses: all('losses') }));
    }
  });
});

test('a line played by clicks, taken back by the browser, and played again', async () => {
  await visit(browser, home, async (page) => {
    for (const name of ['f5', 'd6', 'c3']) await square(page, name).click();
    assert.match(page.url(), /#\/shipped\/f5d6c3$/);
    await seesBoard(page, show('f5d6c3').board);
    await square(page, 'a1').click();
    assert.match(page.url(), /#\/shipped\/f5d6c3$/, 'an illegal move is not played');
    await page.goBack();
    await seesBoard(page, show('f5d6').board);
    assert.match(await page.locator('.line').textContent(), /c3/, 'the rest of the line stays');
    await page.keyboard.press('ArrowRight');
    await seesBoard(page, show('f5d6c3').board);
    await square(page, 'd3').click({ button: 'right' });
    await seesBoard(page, show('f5d6').board);
    await page.mouse.wheel(0, -100);
    await page.waitForURL(/#\/shipped\/f5$/);
  });
});

test('a line that is left for another move stays as a variation', async () => {
  await visit(browser, home, async (page) => {
    for (const name of ['f5', 'd6', 'c3', 'd3']) await square(page, name).click();
    await page.locator('.line button').nth(1).click();
    await square(page, 'f6').click();
    const kept = page.getByRole('navigation', { name: 'Variations' }).getByRole('button');
    assert.deepEqual(await kept.allTextContents(), ['2. d6 c3 d3']);
    await kept.click();
    await seesBoard(page, show('f5d6').board);
    assert.match(await page.locator('.line').textContent(), /d3$/, 'the whole line is back');
    await square(page, 'c4').click();
    assert.deepEqual(await kept.allTextContents(), ['3. c3 d3']);
  });
});

test('a number plays the row that the table shows', async () => {
  await visit(browser, `${home}f5d6c3`, async (page) => {
    await settled(page);
    await page.getByRole('button', { name: /other legal move/ }).waitFor();
    // The moves that nothing is known of would be first.
    await page.getByRole('columnheader', { name: 'Value' }).getByRole('button').click();
    const first = await page.locator('.moves tbody tr').first().getByRole('button').first().textContent();
    await page.keyboard.press('1');
    await page.waitForURL(new RegExp(`f5d6c3${first}$`));
  });
});

test('keys step, play, choose siblings and drop moves', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    const best = await page.locator('.moves tbody tr').first().getByRole('button').textContent();
    await page.keyboard.press('1');
    await page.waitForURL(new RegExp(`f5d6${best}$`));
    await settled(page);
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(new RegExp(`f5d6(?!${best})[a-h][1-8]$`));
    await page.keyboard.press('ArrowUp');
    await page.waitForURL(new RegExp(`f5d6${best}$`));
    await page.keyboard.press('Home');
    await page.waitForURL(/#\/shipped\/$/);
    await page.keyboard.press('End');
    await page.waitForURL(new RegExp(`f5d6${best}$`));
    await page.keyboard.press('Backspace');
    assert.equal(await page.locator('.line button').count(), 3);
    await settled(page);
    await page.keyboard.press(' ');
    await page.waitForURL(new RegExp(`f5d6${best}$`));
    await page.keyboard.press('ArrowLeft');
    await settled(page);
    await page.keyboard.press('v');
    assert.equal(await page.locator('[data-value-of]').count(), 0);
    const hidden = await page.locator('.moves tbody .move').allTextContents();
    assert.deepEqual(hidden, [...hidden].sort(), 'the order does not give the values away');
    await page.keyboard.press('?');
    assert.match(await page.getByRole('dialog').textContent(), /Take the last move back/);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

test('a pass is played and announced', async () => {
  // After a1 White has no move, and Black has f5.
  const root = `-OX${'-'.repeat(35)}OX${'-'.repeat(24)}`;
  await visit(browser, `${home}?b=${root}X`, async (page) => {
    await square(page, 'a1').click();
    await page.locator('.unseen', { hasText: 'Black a1, turned 1. White passes, Black to move.' }).waitFor({ state: 'attached' });
    await page.getByText('White passes, Black to move').first().waitFor();
    await page.keyboard.press('Backspace');
    await page.locator('.unseen', { hasText: 'Start of the line.' }).waitFor({ state: 'attached' });
  });
});

test('the board is shown in eight orientations, and the link keeps them', async () => {
  await visit(browser, `${home}f5`, async (page, context) => {
    const places = new Set();
    const box = async () => {
      const { x, y } = await square(page, 'f5').boundingBox();
      return `${Math.round(x)},${Math.round(y)}`;
    };
    for (const key of ['r', 'r', 'r', 'r', 'm', 'r', 'r', 'r']) {
      await page.keyboard.press(key);
      places.add(await box());
    }
    assert.equal(places.size, 8);
    const other = await context.newPage();
    await other.goto(page.url());
    await settled(other);
    const { x, y } = await square(other, 'f5').boundingBox();
    assert.equal(`${Math.round(x)},${Math.round(y)}`, await box());
  });
});

test('an address that makes no sense shows the start', async () => {
  for (const address of ['#/%/zz?b=zzz&o=99', '#/nothing/f5f5f5', '#?%']) {
    await visit(browser, server.url + address, async (page) => {
      await settled(page);
      await seesBoard(page, show(address.includes('f5') ? 'f5' : '').board);
    });
  }
});

test('every notation can be pasted', async () => {
  const { key, board } = show('f5d6c3');
  const at = (text) => ({ text, board });
  const texts = [at('f5d6c3'), at('F5D6C3'), at('f5 d6 c3'), at('1. f5 d6 2. c3'), at(board),
    { text: 'tiger', board: show('tiger').board }];
  await visit(browser, home, async (page) => {
    for (const { text, board: expected } of texts) {
      await page.goto(home);
      await settled(page);
      await page.evaluate((pasted) => {
        const data = new DataTransfer();
        data.setData('text/plain', pasted);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
      }, text);
      await page.waitForFunction(() => !location.hash.endsWith('/shipped/'));
      await seesBoard(page, expected, text);
    }
    await page.keyboard.press('i');
    await page.getByRole('textbox').fill(key);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('?b='));
    await settled(page);
    assert.equal(await page.locator('.headline').textContent(), signed(show(key).value));
    await page.keyboard.press('i');
    await page.getByRole('textbox').fill('f5f5');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  }, { expected: [/status of 400/] });
});

test('an opening is found by its name', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('tiger');
    await page.getByRole('dialog').getByRole('button', { name: /^Tiger/ }).first().click();
    await seesBoard(page, show('tiger').board);
    await page.getByRole('heading', { name: /Tiger/ }).waitFor();
  });
});

test('Enter waits for the openings of what was typed', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    await page.route('**/openings?*', (route) => setTimeout(() => route.continue(), 300));
    for (const name of ['rabbit', 'tiger']) {
      const [{ line }] = await fetch(`${server.url}api/shipped/openings?search=${name}`).then((answer) => answer.json()).then(({ openings }) => openings);
      await page.keyboard.press('/');
      await page.getByRole('searchbox').fill('');
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`${line}$`));
      assert.equal(await page.getByRole('dialog').count(), 0);
    }
  });
});

test('a link says what of it can’t be shown', async () => {
  const links = [
    ['#/nobook/f5', 'There is no book “nobook” here: this is shipped.', 'f5'],
    ['#/shipped/f5f5', 'f5 is no legal move here: the rest of the link is left out.', 'f5'],
    ['#/shipped/f5d6<script>', '“f5d6<script>” is neither a page nor a line of moves.', ''],
    ['#/shipped/f5?b=XO', '“XO” is no board: this is the start position.', ''],
  ];
  for (const [link, said, line] of links) {
    await visit(browser, server.url + link, async (page) => {
      await page.getByText(said, { exact: true }).waitFor();
      await seesBoard(page, show(line).board);
    });
  }
});

/** A line that ends with a pass which leads out of the book, and the score of that pass. */
const leafPass = () => {
  const sql = "SELECT l.line, score FROM positions p JOIN leaves USING (board), line_to(p.board) l WHERE leaves.move = 64 LIMIT 1";
  const [found] = JSON.parse(obook('query', server.book, sql, '--format', 'json'));
  return found;
};

test('the score of a pass out of the book is the value behind it', async () => {
  const { line, score } = leafPass();
  await visit(browser, `${home}${line.replaceAll('pa', '')}`, async (page) => {
    await settled(page);
    await page.locator('.headline', { hasText: signed(-score) }).waitFor();
    await page.getByText('a leaf of the book').waitFor();
    const rows = page.locator('.chart tbody tr');
    await rows.last().locator('th', { hasText: `${line.replaceAll('pa', '').length / 2}. ` }).waitFor({ state: 'attached' });
  });
});

/** A line whose best continuation has a pass in the middle, and that continuation. */
async function bestWithPass() {
  const sql = "SELECT l.line FROM positions p JOIN links USING (board), line_to(p.board) l WHERE links.move = 64";
  for (const { line } of JSON.parse(obook('query', server.book, sql, '--format', 'json'))) {
    const played = line.replaceAll('pa', '');
    for (let back = 2; back <= 12; back += 2) {
      const before = played.slice(0, -back);
      const { best } = await fetch(`${server.url}api/shipped/position?at=${before}`).then((answer) => answer.json());
      const names = best.map(({ square: name }) => name);
      if (names.includes('pa') && names.at(-1) !== 'pa') return [before, names];
    }
  }
  throw new Error('no best line has a pass');
}

test('the best line goes through passes', async () => {
  const [line, names] = await bestWithPass();
  await visit(browser, `${home}${line}`, async (page) => {
    await settled(page);
    const best = page.locator('.bestline .link');
    assert.deepEqual(await best.allTextContents(), names.filter((name) => name !== 'pa'));
    await best.last().click();
    const { board } = await fetch(`${server.url}api/shipped/parse?text=${line}${names.join('')}`).then((answer) => answer.json());
    await seesBoard(page, board);
  });
});

test('the curve says where the book ends', async () => {
  await visit(browser, `${home}f5d6c3d3c4`, async (page) => {
    await settled(page);
    // Away from the book by the moves that it knows least.
    for (let move = 0; move < 3; move++) {
      const legal = await page.locator('.square.legal').evaluateAll((all) => all.map((cell) => cell.dataset.square));
      await square(page, legal[0]).click();
      await settled(page);
    }
    const end = page.locator('.chart text.end');
    await end.waitFor();
    assert.notEqual(await end.evaluate((text) => getComputedStyle(text).fill), 'none');
  });
});

test('a board is set up by hand, and Escape goes back', async () => {
  await visit(browser, `${home}f5`, async (page) => {
    await page.keyboard.press('e');
    await square(page, 'a1').click();
    await square(page, 'b1').click({ button: 'right' });
    await page.getByRole('button', { name: 'Done' }).click();
    assert.match(await boardOf(page), /^XO/);
    await page.waitForURL(/\?b=XO/);
    await page.getByRole('heading', { level: 1, name: 'Set-up position' }).waitFor();
    await page.keyboard.press('e');
    await square(page, 'h8').click();
    await page.keyboard.press('Escape');
    assert.match(await boardOf(page), /^XO.{61}- /);
    await page.goBack();
    await page.waitForURL(/#\/shipped\/f5$/);
  });
});

test('two tabs show different positions of one book', async () => {
  await visit(browser, `${home}f5d6`, async (page, context) => {
    const other = await context.newPage();
    await other.goto(`${home}f5f6`);
    await settled(other);
    await settled(page);
    await seesBoard(page, show('f5d6').board);
    await seesBoard(other, show('f5f6').board);
  });
});

test('a picture of the board stands by itself', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    await page.keyboard.press('s');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save PNG' }).click()]);
    assert.equal(download.suggestedFilename(), 'board.png');
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const png = Buffer.concat(chunks);
    assert.equal(png.readUInt32BE(16), 1712);
    assert.ok(png.length > 20000, 'the picture is not empty');
  });
});

test('the table of moves with games fits beside the board and below it', async () => {
  await visit(browser, `${home}f5`, async (page) => {
    await settled(page);
    await page.locator('.moves .bar').first().waitFor();
    for (const width of [520, 560, 862, 900, 1024, 1280, 1366, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const [wide, least] = await page.evaluate(() => [document.documentElement, document.querySelector('.moves')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      assert.deepEqual([wide, least], [0, 0], `${width}`);
    }
  });
});

test('half a board doesn’t leave its editor', async () => {
  await visit(browser, home, async (page) => {
    for (const name of ['f5', 'd6']) await square(page, name).click();
    const editor = page.getByRole('region', { name: 'Set up a board' });
    const go = (name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name }).click();
    await page.keyboard.press('e');
    await editor.getByRole('button', { name: 'Clear' }).click();
    await go('Play');
    await page.getByRole('button', { name: 'Play Black' }).waitFor();
    await go('Board');
    await seesBoard(page, show('f5d6').board);
    assert.equal(await editor.count(), 0);
    await page.keyboard.press('e');
    await editor.waitFor();
    await page.goBack();
    await seesBoard(page, show('f5d6').board);
    assert.equal(await editor.count(), 0);
  });
});

test('without moves there is nothing to copy', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    await page.keyboard.press('c');
    await page.locator('.notice p', { hasText: 'There are no moves to copy.' }).waitFor();
  });
});
