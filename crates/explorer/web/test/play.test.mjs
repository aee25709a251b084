// Playing against the book, and the trainer.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { obook, seesBoard, settled, square, visit } from './harness.mjs';
import { browser, home, server, show } from './stage.mjs';

const plays = (line, ...options) => JSON.parse(obook('play', server.book, line, '--json', ...options));
const shownLine = (page) => page.locator('.line').evaluate((line) => [...line.querySelectorAll('button')].slice(1).map((button) => button.textContent.slice(0, 2)).join(''));

test('the book replies with its best move, and after the book the engine goes on', async () => {
  await visit(browser, `${home}play`, async (page) => {
    await page.getByLabel('The book plays').selectOption('Best moves');
    await page.getByLabel('Engine’s level beyond it').fill('1');
    await page.getByLabel('Engine’s level beyond it').press('Tab');
    await page.getByRole('button', { name: 'Play Black' }).click();
    await square(page, 'f5').click();
    await page.getByText('Your turn').waitFor();
    const [reply] = plays('f5').moves;
    const line = `f5${reply.move}`;
    await seesBoard(page, show(line).board);
    assert.equal(await page.locator('[data-value-of]').count(), 0, 'values are hidden');
    // A position that the book doesn't have: the reply is the engine's.
    const beyond = plays('f5', '--moves', '30').line;
    await page.goto(`${home}play?as=${beyond.length % 4 === 0 ? 'white' : 'black'}&m=${beyond}`);
    await page.getByText('the engine plays on').waitFor();
    await page.getByText('Your turn').waitFor();
    assert.equal((await shownLine(page)).slice(0, -2), beyond);
    const address = page.url();
    await page.reload();
    await page.getByText('Your turn').waitFor();
    assert.equal(page.url(), address, 'the address keeps the game');
    await page.getByRole('button', { name: 'Take back' }).click();
    assert.equal(await shownLine(page), beyond.slice(0, -2));
    await page.getByRole('button', { name: 'Look at the values' }).click();
    await settled(page);
    assert.ok((await page.locator('[data-value-of]').count()) > 0);
  });
});

test('as White the book begins, and a rule varies its moves', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Play' }).click();
    await page.getByLabel('The book plays').selectOption('As Egaroucid');
    await page.getByLabel('Book accuracy level').fill('10');
    await page.getByRole('radio', { name: 'the position on the board' }).check();
    await page.getByRole('button', { name: 'Play White' }).click();
    await page.getByText('Your turn').waitFor();
    const line = await shownLine(page);
    const [, reply] = /^f5d6(..)$/.exec(line);
    assert.ok(show('f5d6').moves.some(({ move, kind }) => move === reply && kind === 'link'), reply);
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByRole('button', { name: 'Play White' }).waitFor();
  });
});

const start = async (page, opening, depth) => {
  await page.getByLabel('Opening: moves').fill(opening);
  await page.getByLabel('Moves after the opening').fill(String(depth));
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('What does the book play').waitFor();
};
const bestOf = (line) => {
  const { moves } = show(line);
  return moves.filter(({ score }) => score === moves[0].score).map(({ move }) => move);
};

test('the trainer asks for the book’s move, shows values after an answer, and repeats what was missed', async () => {
  await visit(browser, `${home}train`, async (page) => {
    await page.clock.install({ time: new Date('2030-01-01T10:00:00Z') });
    await page.reload();
    await start(page, 'f5d6', 3);
    await seesBoard(page, show('f5d6').board);
    // No frame and no timer comes between an answer and Enter.
    await page.clock.pauseAt(new Date('2030-01-01T10:05:00Z'));
    assert.equal(await page.locator('[data-value-of]').count(), 0, 'values are hidden');
    const right = bestOf('f5d6');
    const legal = await page.locator('.square.legal').evaluateAll((all) => all.map((cell) => cell.dataset.square));
    const wrong = legal.find((name) => !right.includes(name));
    await square(page, wrong).click();
    await page.getByText(`The book plays ${right.join(' or ')}`).waitFor();
    await page.locator('[data-value-of]').first().waitFor();
    // All other questions are answered rightly; the missed one comes again after three of them, or at the end.
    const asked = [];
    for (;;) {
      await page.keyboard.press('Enter');
      const line = await page.locator('.way').textContent().then((text) => text.replaceAll(' ', ''));
      asked.push(line);
      if (line === 'f5d6') break;
      await square(page, bestOf(line)[0]).click();
      await page.getByText('Right: ').waitFor();
    }
    assert.ok(asked.length <= 4, asked.join());
    await square(page, right[0]).click();
    await page.getByText('It comes again in 1 day.').waitFor();
    // Play it out.
    while (await page.getByRole('button', { name: 'Next' }).count() > 0) {
      await page.getByRole('button', { name: 'Next' }).click();
      const way = page.locator('.way');
      if (await way.count() === 0) break;
      await square(page, bestOf((await way.textContent()).replaceAll(' ', ''))[0]).click();
      await page.getByText('Right: ').waitFor();
    }
    await page.getByText('The next question is due in').waitFor();
    await page.clock.resume();
    // What is learned survives a reload, and comes again when its time has come.
    await page.reload();
    await page.getByText(/positions? of this book/).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Nothing is due').waitFor();
    await page.clock.setSystemTime(new Date('2030-01-02T11:00:00Z'));
    await page.getByRole('button', { name: 'Another repertoire' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('What does the book play').waitFor();
  });
});

test('what was learned is exported and imported, and nonsense is refused', async () => {
  let file;
  await visit(browser, `${home}train`, async (page) => {
    await start(page, 'f5d6', 1);
    await square(page, bestOf('f5d6')[0]).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
    file = await download.path();
    assert.equal(Object.keys(JSON.parse(readFileSync(file, 'utf8')).cards).length, 1);
    file = readFileSync(file);
  });
  await visit(browser, `${home}train`, async (page) => {
    await page.getByText('Nothing yet.').waitFor();
    const give = (buffer) => page.locator('input[type=file]').setInputFiles({ name: 'trainer.json', mimeType: 'application/json', buffer });
    for (const text of ['', '{}', '{"obook":"trainer","cards":{"x":1}}', '[1]', `{"obook":"trainer","cards":{"${'0'.repeat(32)}":{"line":"f5","step":99,"asked":1,"due":1,"missed":0}}}`]) {
      await give(Buffer.from(text));
      await page.getByText('is not a file of this trainer').waitFor();
    }
    await give(file);
    await page.getByText('1 position of this book.').waitFor();
    await page.reload();
    await page.getByText('1 position of this book.').waitFor();
  });
});
