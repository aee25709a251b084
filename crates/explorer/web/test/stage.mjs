// The server and the browser of a file of tests: started before its first test, stopped after its last.

import { after, before } from 'node:test';
import { launch, obook, serve } from './harness.mjs';

export let server;
export let browser;
/** The address of the shipped book; moves follow it. */
export let home;

before(async () => {
  [server, browser] = await Promise.all([serve(), launch()]);
  home = `${server.url}#/shipped/`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** What the command line says about a position. */
export const show = (line) => JSON.parse(obook('show', '--json', server.book, line));
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0');
