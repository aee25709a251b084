import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildInto } from '../build.mjs';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

test('the committed files are what the sources build', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'obook-dist-'));
  await buildInto(folder);
  assert.deepEqual(readdirSync(dist).sort(), readdirSync(folder).sort());
  for (const file of readdirSync(folder)) assert.ok(readFileSync(join(dist, file)).equals(readFileSync(join(folder, file))), `${file} is not current: npm run build`);
  rmSync(folder, { recursive: true });
});

test('the first page needs at most 40 KB of compressed script', () => {
  const needed = new Set();
  const visit = (file) => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, next] of text.matchAll(/(?:from|^import|;import)\s*"\.\/([^"]+)"/g)) visit(next);
  };
  visit('main.js');
  assert.ok(needed.size > 1, 'main.js shares a file with the SQL page');
  const size = [...needed].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  assert.ok(size <= 40 * 1024, `${size} bytes`);
});

test('the lock file names no place to download from', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url)));
  for (const [name, { resolved }] of Object.entries(lock.packages)) assert.equal(resolved, undefined, name);
});
