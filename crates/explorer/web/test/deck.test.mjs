// The trainer's memory: when a card comes again.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'obook-deck-'));
const outfile = join(folder, 'deck.mjs');
await build({ entryPoints: [fileURLToPath(new URL('../src/train/deck.ts', import.meta.url))], outfile, bundle: true, format: 'esm' });
const { answered, exported, imported, INTERVALS, merged, order } = await import(pathToFileURL(outfile));
rmSync(folder, { recursive: true });

const key = (digit) => String(digit).repeat(32);

test('intervals grow with each right answer, and a miss begins anew', () => {
  assert.ok(INTERVALS.every((span, index) => index === 0 || span > INTERVALS[index - 1]));
  let card;
  let now = 1_000_000;
  for (let times = 1; times < 12; times++) {
    card = answered(card, 'f5', true, now);
    const step = Math.min(times, INTERVALS.length - 1);
    assert.deepEqual(card, { line: 'f5', step, asked: now, due: now + INTERVALS[step], missed: 0 });
    now = card.due;
  }
  card = answered(card, 'f5', false, now);
  assert.deepEqual([card.step, card.due - now, card.missed], [0, INTERVALS[0], 1]);
  assert.equal(answered(card, 'f5', true, card.due).step, 1);
});

test('what is due comes first, longest overdue first, then what is new; the rest waits', () => {
  const at = (due) => ({ line: '', step: 1, asked: 0, due, missed: 0 });
  const questions = ['1', '2', '3', '4', '5'].map((digit) => ({ key: key(digit) }));
  const deck = { [key('2')]: at(300), [key('3')]: at(100), [key('4')]: at(900) };
  assert.deepEqual(order(questions, deck, 500).map((question) => question.key[0]), ['3', '2', '1', '5']);
});

test('a deck comes back from its file, and two decks keep the later card', () => {
  const old = answered(undefined, 'f5', true, 10);
  const late = answered(undefined, 'f5', false, 20);
  const deck = { [key('a')]: old, [key('b')]: late };
  assert.deepEqual(imported(exported(deck)), deck);
  const other = { [key('a')]: late, [key('b')]: old };
  assert.deepEqual(merged(deck, other), { [key('a')]: late, [key('b')]: late });
  assert.deepEqual(merged(other, deck), merged(deck, other));
});
