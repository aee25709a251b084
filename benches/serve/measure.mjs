// How fast `obook serve` answers: positions of a book at a constant rate, and as many as it can.
//
//   cd benches/serve && npm ci && node measure.mjs BOOK [PROGRAM]
//
// The server runs on one core and the requests come from another, so that neither measures the other. Latencies are
// corrected for requests that had to wait for a slower one (coordinated omission).

import autocannon from 'autocannon';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [book, program = fileURLToPath(new URL('../../target/release/obook', import.meta.url))] = process.argv.slice(2);
if (!book) throw new Error('usage: node measure.mjs BOOK [PROGRAM]');
const RATE = 1000;
const SECONDS = 30;
const CONNECTIONS = 32;
const POSITIONS = 5000;

/** Positions all over the book. */
function boards() {
  const sql = `SELECT hex(board) AS board FROM positions ORDER BY random() LIMIT ${POSITIONS}`;
  return JSON.parse(execFileSync(program, ['query', book, sql, '--json'], { maxBuffer: 1 << 28 })).map(({ board }) => board);
}

const server = spawn('taskset', ['-c', '0', program, 'serve', book, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
const { books: [{ name }] } = await (await fetch(`${url}api/books`)).json();
const requests = boards().map((board) => ({ path: `/api/${name}/position?at=${encodeURIComponent(board)}` }));
execFileSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)]);

const memory = () => {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const megabytes = (field) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) / 1024);
  return `${megabytes('RssAnon')} MB of its own, ${megabytes('RssFile')} MB of mapped files`;
};
/** The time that the server has computed so far, in milliseconds. */
const computed = () => {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
};
const run = async (title, options) => {
  const before = computed();
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests, ...options });
  const each = (computed() - before) / result.requests.total;
  const { latency, requests: { average }, non2xx, errors } = result;
  console.log(`${title}: ${Math.round(average)} answers a second, p50 ${latency.p50} ms, p99 ${latency.p99} ms, most ${latency.max} ms, ${non2xx + errors} failed, ${each.toFixed(2)} ms of computing each; ${memory()}`);
};
await run('warming up', { overallRate: RATE, duration: 10 });
await run(`${RATE} a second`, { overallRate: RATE });
await run('as many as it can', { connections: 4 });
server.kill('SIGINT');
