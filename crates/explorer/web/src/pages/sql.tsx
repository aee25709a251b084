// The SQL page: a query, its rows as they arrive, and the boards in them drawn.

import { useEffect, useRef, useState } from 'preact/hooks';
import { address, ApiError, getJson, isAbort, message, streamJson } from '../api/client';
import type { Schema } from '../api/types';
import { other, parseBoard, type Colour, type Position } from '../othello';
import { copy, save } from '../share';
import { book, notice, page, showWritten, sqlText } from '../state';
import { COOKBOOK } from './cookbook';
import { createEditor, type Editor } from './editor';
import { chartColumns, SqlChart, type Cell } from './sqlchart';

type Line = { columns: string[] } | Cell[] | { rows: number; ms: number; truncated: boolean };
interface Result { columns: string[]; rows: Cell[][]; end: { rows: number; ms: number; truncated: boolean } | null }

const EMPTY: Result = { columns: [], rows: [], end: null };
/** More rows than this are exported, but not drawn. */
const DRAWN = 500;

const ask = (body: object, signal?: AbortSignal): AsyncGenerator<Line> => streamJson<Line>(address(book.value, 'sql'),
  { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), ...(signal ? { signal } : {}) });

const bit = (hex: string, square: number): boolean => ((parseInt(hex[15 - (square >> 2)]!, 16) >> (square & 3)) & 1) === 1;

const KEY = /^[0-9a-f]{32}$/;

/** The position of a key or of a written board. A key doesn’t say who moves: without a pass it follows from the number of discs. */
function positionOf(cell: string): Position | null {
  const written = parseBoard(/^[XO-]{64}$/.test(cell) ? `${cell}X` : cell);
  if (written) return written;
  if (!KEY.test(cell)) return null;
  const [mine, theirs] = [cell.slice(0, 16), cell.slice(16)];
  const squares = Array.from({ length: 64 }, (_, square) => [bit(mine, square), bit(theirs, square)] as const);
  const discs = squares.filter(([is, isTheirs]) => is || isTheirs).length;
  const turn: Colour = discs % 2 === 0 ? 'X' : 'O';
  return { board: squares.map(([is, isTheirs]) => (is ? turn : isTheirs ? other(turn) : '-')).join(''), turn };
}

/** Shows the position of a key, after the moves by which the book leads there, or of a written board. */
async function showPosition(cell: string, { board, turn }: Position): Promise<void> {
  try {
    let line: Cell = null;
    if (KEY.test(cell)) {
      for await (const row of ask({ sql: 'SELECT line FROM line_to(:key)', parameters: { key: cell } })) {
        if (Array.isArray(row)) [line = null] = row;
      }
    }
    if (page.value === 'sql') showWritten(line === null ? `${board} ${turn}` : String(line));
  } catch (error) {
    notice.value = message(error);
  }
}

function SmallBoard({ signs, title }: { signs: string; title: string }) {
  return (
    <svg class="smallboard" viewBox="0 0 80 80" role="img" aria-label={`Board ${title}`}>
      <title>{title}</title>
      <rect class="field" width="80" height="80" rx="3" />
      <path class="lines" d={Array.from({ length: 7 }, (_, i) => `M0 ${i * 10 + 10}H80M${i * 10 + 10} 0V80`).join('')} />
      {[...signs].map((sign, square) => sign !== '-' && <circle key={square} class={sign === 'X' ? 'black' : 'white'} cx={(square % 8) * 10 + 5} cy={(square >> 3) * 10 + 5} r="4" />)}
    </svg>
  );
}

// A single move may be one of any position.
const LINE = /^([a-h][1-8]|pa){2,70}$/;

const numeric = (cell: Cell | undefined): string => (typeof cell === 'number' || typeof cell === 'bigint' ? 'number' : '');

function Shown({ cell }: { cell: Cell }) {
  if (cell === null) return <span class="quiet">NULL</span>;
  if (typeof cell !== 'string') return <>{String(cell)}</>;
  const position = positionOf(cell);
  if (position) return <button type="button" class="plain" title="Show this position" onClick={() => void showPosition(cell, position)}><SmallBoard signs={position.board} title={cell} /></button>;
  if (LINE.test(cell)) return <button type="button" class="link moves-text" onClick={() => showWritten(cell)}>{cell}</button>;
  return <>{cell}</>;
}

const csvField = (cell: Cell): string => {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const toCsv = ({ columns, rows }: Result): string => [columns, ...rows].map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';
/** The names of columns as `obook query --json` has them: each once, with a number that no other column bears. */
function distinct(columns: readonly string[]): string[] {
  const used = new Set(columns);
  return columns.map((name, index) => {
    let own = name;
    if (columns.indexOf(name) < index) for (let number = 2; used.has(own); number++) own = `${name}_${number}`;
    used.add(own);
    return own;
  });
}
// Objects would sort names that are numbers.
function toJson({ columns, rows }: Result): string {
  const names = distinct(columns).map((name) => JSON.stringify(name));
  const written = (cell: Cell): string => (typeof cell === 'bigint' ? String(cell) : JSON.stringify(cell));
  return `[\n${rows.map((row) => ` {${names.map((name, index) => `${name}:${written(row[index]!)}`).join(',')}}`).join(',\n')}\n]\n`;
}

/** What was typed when the page was left. */
let draft = '';

export function SqlPage() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const running = useRef<AbortController | null>(null);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result>(EMPTY);
  const [error, setError] = useState<string | null>(null);
  const [charted, setCharted] = useState(false);

  const run = async (): Promise<void> => {
    const sql = editor.current!.text();
    sqlText.value = sql;
    running.current?.abort();
    const mine = (running.current = new AbortController());
    editor.current!.mark(null);
    setBusy(true);
    setError(null);
    const found: Result = { columns: [], rows: [], end: null };
    setResult(EMPTY);
    let drawn = 0;
    try {
      for await (const line of ask({ sql, limit: 10000 }, mine.signal)) {
        if (Array.isArray(line)) found.rows.push(line);
        else if ('columns' in line) found.columns = line.columns;
        else found.end = line;
        // The first rows are shown as they arrive; later ones don't redraw the table each time.
        if (found.rows.length <= 20 || performance.now() - drawn > 200) {
          drawn = performance.now();
          setResult({ ...found });
        }
      }
    } catch (problem) {
      if (running.current === mine) {
        setError(isAbort(problem) ? 'Stopped.' : message(problem));
        if (problem instanceof ApiError && problem.offset !== null) editor.current?.mark(problem.offset);
      }
    }
    if (running.current !== mine) return;
    setResult({ ...found });
    setBusy(false);
  };

  useEffect(() => {
    const made = createEditor(host.current!, sqlText.value || draft || COOKBOOK[3]!.sql, () => void run());
    editor.current = made;
    if (sqlText.value) void run();
    return () => {
      running.current?.abort();
      draft = made.text();
      // Otherwise the query that was run last would replace it.
      if (draft !== sqlText.value) sqlText.value = '';
      made.destroy();
    };
  }, []);
  useEffect(() => {
    if (sqlText.value && sqlText.value !== editor.current!.text()) choose(sqlText.value);
  }, [sqlText.value]);
  useEffect(() => {
    getJson<Schema>(address(book.value, 'sql/schema')).then((schema) => editor.current?.complete(schema), (problem: unknown) => setError(message(problem)));
    // Rows of one book don't stay under the name of another.
    return () => {
      running.current?.abort();
      running.current = null;
      setBusy(false);
      setResult(EMPTY);
      setError(null);
    };
  }, [book.value]);

  const choose = (sql: string): void => { editor.current!.set(sql); void run(); };
  const { columns, rows, end } = result;
  const link = (): string => new URL(`#/${encodeURIComponent(book.value)}/sql?${new URLSearchParams({ q: editor.current!.text() }).toString()}`, location.href).href;
  return (
    <main class="sqlpage">
      <h1>SQL</h1>
      <div class="cookbook" role="group" aria-label="Examples">
        {COOKBOOK.map(({ title, sql }) => <button type="button" key={title} onClick={() => choose(sql)}>{title}</button>)}
      </div>
      <div class="editor" ref={host} />
      <p class="buttons">
        <button type="button" class="primary" onClick={() => void run()} title="Shift+Enter">Run</button>
        {busy && <button type="button" onClick={() => running.current?.abort()}>Stop</button>}
        <span class="quiet" role="status">{busy ? `${rows.length} rows …` : end ? `${end.rows} ${end.rows === 1 ? 'row' : 'rows'}${end.truncated ? ', and there are more' : ''}, ${end.ms} ms` : ''}</span>
        <span class="space" />
        <button type="button" aria-pressed={charted} aria-disabled={!charted && chartColumns(rows) === null} onClick={() => setCharted(!charted)}>Chart</button>
        <button type="button" onClick={() => void copy(link(), 'Link')}>Copy link</button>
        <button type="button" aria-disabled={rows.length === 0} onClick={() => save(new Blob([toCsv(result)], { type: 'text/csv' }), 'rows.csv')}>CSV</button>
        <button type="button" aria-disabled={rows.length === 0} onClick={() => save(new Blob([toJson(result)], { type: 'application/json' }), 'rows.json')}>JSON</button>
      </p>
      {error && <p role="alert" class="sqlerror">{error}</p>}
      {charted && !busy && columns.length > 0 && <SqlChart columns={columns} rows={rows} />}
      {columns.length > 0 && (
        <div class="results" tabIndex={0} role="region" aria-label="Rows">
          <table>
            <thead><tr>{columns.map((name, index) => <th scope="col" key={index} class={numeric(rows[0]?.[index])}>{name}</th>)}</tr></thead>
            <tbody>{rows.slice(0, DRAWN).map((row, index) => (
              <tr key={index}>{row.map((cell, at) => <td key={at} class={numeric(cell)}><Shown cell={cell} /></td>)}</tr>
            ))}</tbody>
          </table>
          {rows.length > DRAWN && <p class="quiet">{rows.length - DRAWN} more rows are in the exports.</p>}
        </div>
      )}
    </main>
  );
}
