// Requests to the server.

import { send } from './send';

export const GONE = SITE ? 'A file of this page is missing or can’t be loaded.' : 'The server doesn’t answer. Is obook serve still running?';

/** An error that the server explained. `offset` points into the SQL. */
export class ApiError extends Error {
  constructor(message: string, readonly status: number, readonly offset: number | null = null) {
    super(message);
  }
}

type Parameters = Record<string, string | number | undefined>;

export function address(book: string, path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `api/${encodeURIComponent(book)}/${path}${text && `?${text}`}`;
}

function problem(body: unknown, status: number): ApiError {
  const known = body as { error?: string; offset?: number } | null;
  return new ApiError(known?.error ?? `The server answered ${status}.`, status, known?.offset ?? null);
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw problem(await response.json().catch(() => null), response.status);
}

async function request(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await send(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(GONE, 0);
  }
  return checked(response);
}

export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const response = await request(url, signal ? { signal } : {});
  return (await response.json()) as T;
}

/** Sends a change, and returns what it changed. */
export async function postJson<T>(url: string, body: object): Promise<T> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await request(url, init)).json()) as T;
}

/** Sends bytes. */
export const postBlob = async <T>(url: string, body: Blob): Promise<T> =>
  (await (await request(url, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body })).json()) as T;

export async function getText(url: string, signal?: AbortSignal): Promise<string> {
  return (await request(url, signal ? { signal } : {})).text();
}

/** Keeps integers that a number would round, in browsers that tell how they were written. */
const exact = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : value;

/** Reads one JSON value a line, as the lines arrive. */
export async function* streamJson<T>(url: string, init: RequestInit): AsyncGenerator<T> {
  const { body } = await request(url, init);
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? '';
    const lines = rest.split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines.filter((text) => text !== '')) {
      const value: unknown = JSON.parse(line, exact);
      // A problem after the first line is the last line.
      if (typeof value === 'object' && value !== null && 'error' in value) throw problem(value, 200);
      yield value as T;
    }
    if (done) return;
  }
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
/** An error as a sentence for people. */
export function message(error: unknown): string {
  if (error instanceof ApiError && error.status === 503) return `The server gave up: ${error.message}. Try again, or ask for less.`;
  const text = error instanceof Error ? error.message : String(error);
  // A name of a file stays as it is.
  const isName = /^\S*[.]\S/.test(text);
  return (isName ? text : text.charAt(0).toUpperCase() + text.slice(1)) + (/[.?!]$/.test(text) ? '' : '.');
}
