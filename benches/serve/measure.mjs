// How fast `obook serve` answers: positions of a book at a constant rate, as many as it can, and while pages search.
//
//   cd benches/serve && npm ci && node measure.mjs BOOK [PROGRAM]
//
// The server runs on one core and the requests come from another, so that neither measures the other. At the constant
// rate a request's latency begins when it is due, so a slow answer counts for all that wait behind it. (autocannon's own
// rate sends each connection's share of a second at once.)

import autocannon from 'autocannon';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [book, program = fileURLToPath(new URL('../../target/release/obook', import.meta.url))] = process.argv.slice(2);
if (!book) throw new Error('usage: node measure.mjs BOOK [PROGRAM]');
const RATE = 1000;
const SECONDS = Number(process.env.SECONDS ?? 30);
const CONNECTIONS = 4;
const POSITIONS = 5000;
/** Pages that search at the same time, and the requests a second meanwhile. */
const PAGES = 20;
const MEANWHILE = 100;

/** Positions all over the book. */
function boards() {
  const sql = `SELECT hex(board) AS board FROM positions ORDER BY random() LIMIT ${POSITIONS}`;
  return JSON.parse(execFileSync(program, ['query', book, sql, '--json'], { maxBuffer: 1 << 28 })).map(({ board }) => board);
}

const server = spawn('taskset', ['-c', '0', program, 'serve', book, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
const { books: [{ name }] } = await (await fetch(`${url}api/books`)).json();
const paths = boards().map((board) => `api/${name}/position?at=${board}`);
let sent = 0;
const nextPath = () => paths[sent++ % paths.length];
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
const report = async (title, work) => {
  const [before, began] = [computed(), performance.now()];
  const { answers, failed, p50, p99, most } = await work();
  const rate = Math.round((1000 * answers) / (performance.now() - began));
  const each = (computed() - before) / answers;
  console.log(`${title}: ${rate} answers a second, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${failed} failed, ${each.toFixed(2)} ms of computing each, searches included; ${memory()}`);
};

/** Sends a request each time one is due, whether or not the ones before were answered. */
function paced(seconds, perSecond = RATE) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const latencies = [];
  const total = perSecond * seconds;
  const start = performance.now();
  let [begun, failed] = [0, 0];
  return new Promise((resolve) => {
    const ended = (due, ok) => {
      latencies.push(performance.now() - due);
      if (!ok) failed++;
      if (latencies.length < total) return;
      agent.destroy();
      latencies.sort((a, b) => a - b);
      const at = (part) => latencies[Math.ceil(part * total) - 1].toFixed(1);
      resolve({ answers: total, failed, p50: at(0.5), p99: at(0.99), most: at(1) });
    };
    const ask = (due) => get(url + nextPath(), { agent }, (answer) => {
      answer.on('end', () => ended(due, answer.statusCode === 200)).resume();
    }).on('error', () => ended(due, false));
    const timer = setInterval(() => {
      for (; begun < total && start + (1000 * begun) / perSecond <= performance.now(); begun++) ask(start + (1000 * begun) / perSecond);
      if (begun === total) clearInterval(timer);
    }, 1);
  });
}

/** Two search at a time, 16 wait for their turn, and the rest are told that the server is busy. */
async function whilePagesSearch() {
  const control = new AbortController();
  for (const path of paths.slice(0, PAGES)) fetch(`${url}${path.replace('position', 'hint')}&level=30`, { signal: control.signal }).catch(() => {});
  const found = await paced(SECONDS, MEANWHILE);
  control.abort();
  return found;
}

async function asManyAsItCan() {
  const requests = [{ setupRequest: (request) => ({ ...request, path: `/${nextPath()}` }) }];
  const { latency, requests: { total }, non2xx, errors } = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests });
  return { answers: total, failed: non2xx + errors, p50: latency.p50, p99: latency.p99, most: latency.max };
}

await report('warming up', () => paced(10));
await report(`${RATE} a second`, () => paced(SECONDS));
await report(`${MEANWHILE} a second while ${PAGES} pages search`, whilePagesSearch);
await report('as many as it can', asManyAsItCan);
server.kill('SIGINT');
