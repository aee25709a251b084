// Small windows, axe, the keyboard and motion.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { settled, square, visit } from './harness.mjs';
import { browser, home, server } from './stage.mjs';

test('nothing is wider than the window at 320 pixels or at 200 %', async () => {
  for (const viewport of [{ width: 320, height: 568 }, { width: 640, height: 400 }]) {
    await visit(browser, home, async (page) => {
      for (const place of ['f5d6c3', 'play', 'train', 'book', 'sql']) {
        await page.goto(home + place);
        await page.locator('main :is(.games, .setup, .changes, .cm-content)').first().waitFor();
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wider <= 0, `${place} is ${wider} pixels too wide at ${viewport.width}`);
      }
    }, { viewport });
  }
});

test('held sideways and at 200 %, board and moves stand side by side, and the board fits the window', async () => {
  for (const viewport of [{ width: 844, height: 390 }, { width: 720, height: 450 }, { width: 640, height: 400 }]) {
    await visit(browser, `${home}f5d6c3`, async (page) => {
      await settled(page);
      const [board, moves] = await Promise.all(['svg.board', '.moves'].map((part) => page.locator(part).boundingBox()));
      assert.ok(board.y + board.height <= viewport.height, `${board.y} and ${board.height} of ${viewport.height}`);
      assert.ok(moves.x + moves.width <= viewport.width);
      assert.ok(moves.x >= board.x + board.width && moves.width > 200, `${JSON.stringify(moves)} beside ${JSON.stringify(board)}`);
    }, { viewport });
  }
});

test('on a phone value and name stand above the board, and the legend comes when it is asked for', async () => {
  await visit(browser, `${home}f5d6`, async (page) => {
    await settled(page);
    const [head, value, board] = await Promise.all(['.head h1', '.headline', 'svg.board'].map((part) => page.locator(part).boundingBox()));
    assert.ok(head.y < board.y && value.y + value.height <= board.y);
    const sign = page.locator('.legend', { hasText: 'leaves the book' }).locator('.key').first();
    assert.equal(await sign.isVisible(), false);
    await page.getByRole('button', { name: 'What the signs mean' }).tap();
    await sign.waitFor();
  }, { viewport: { width: 390, height: 844 }, hasTouch: true });
});

const PLACES = [['f5d6c3d3', '.games'], ['f5d6c3d3', '.repertoire', 'Repertoire'], ['f5d6', '.departures', 'Compare'], ['play', '.setup'], ['play?as=white&m=f5', '.line'], ['train', '.setup'], ['book', '.changes li'], ['sql?q=SELECT+board,+value+FROM+positions+LIMIT+3', '.results td']];

test('axe finds nothing, in light, dark and forced colours', async () => {
  const { players: [player] } = await (await fetch(`${server.url}api/shipped/players?search=`)).json();
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { forcedColors: 'active' }]) {
    await visit(browser, home, async (page) => {
      for (const [place, ready, tab] of options.forcedColors ? [PLACES[0]] : PLACES) {
        await page.goto(home + place);
        if (tab) await page.getByRole('tab', { name: tab }).click();
        if (tab === 'Repertoire') {
          await page.getByRole('button', { name: 'Mark White’s moves' }).click();
          await page.locator('.tree').waitFor();
        }
        if (tab === 'Compare') {
          await page.getByLabel('Beside').selectOption('shipped');
          await page.getByLabel('Only games of').fill(player);
          await page.getByRole('button', { name: 'Show', exact: true }).click();
        }
        await page.locator(ready).first().waitFor();
        // What is out of date is pale for a moment.
        await page.waitForFunction(() => !document.querySelector('.stale') && document.getAnimations().length === 0);
        assert.equal(await page.locator(':disabled').count(), 0, `${place}: a control that can’t be used has aria-disabled, or it would lose the focus`);
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${place} ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`), []);
      }
    }, { ...options, bypassCSP: true });
  }
});

test('everything works by keyboard alone', async () => {
  await visit(browser, home, async (page) => {
    await settled(page);
    for (let tab = 0; tab < 20; tab++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement.getAttribute('role') === 'gridcell')) break;
    }
    assert.equal(await page.evaluate(() => document.activeElement.dataset.square), 'd3');
    await page.keyboard.press('Enter');
    await page.locator('.unseen', { hasText: 'Black d3, turned 1. White to move.' }).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.square), 'c3');
    await page.keyboard.press('Enter');
    await page.waitForURL(/d3c3$/);
    await settled(page);
    await page.locator('.moves').getByRole('button', { name: 'Play c4' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/d3c3c4$/);
    await settled(page);
    assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /^Play (?!c4)/);
    await page.locator('#tab-games').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-why');
  });
});

test('a button keeps the focus when it can’t be pressed any more', async () => {
  await visit(browser, `${home}f5`, async (page) => {
    await settled(page);
    const back = page.getByRole('button', { name: 'Back one move' });
    await back.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/$/);
    assert.equal(await back.getAttribute('aria-disabled'), 'true');
    await page.keyboard.press('Enter');
    assert.ok(await back.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/f5$/);
    assert.equal(await back.getAttribute('aria-disabled'), 'false');
  });
});

test('discs turn, unless motion is to be reduced', async () => {
  for (const [reducedMotion, animated] of [['no-preference', true], ['reduce', false]]) {
    await visit(browser, home, async (page) => {
      await square(page, 'f5').click();
      const name = await square(page, 'e5').locator('.disc').evaluate((disc) => getComputedStyle(disc).animationName);
      assert.equal(name !== 'none', animated);
    }, { reducedMotion });
  }
});
