// The book page: what the book holds, how it is spread, where it should grow, and how it came to be.

import type { ComponentChildren } from 'preact';
import { address } from '../api/client';
import type { History, Info, Learning, NearBest, NextSearch } from '../api/types';
import { useJson, useText, type Loaded } from '../panels/load';
import { SqlLink } from '../sqllink';
import { book, showWritten, signed } from '../state';

function Section({ title, error, sql, children }: { title: string; error: string | null; sql: string; children: ComponentChildren }) {
  return <section class="card"><header class="row"><h2>{title}</h2><span class="space" /><SqlLink sql={sql} /></header>{error ? <p role="alert">{error}</p> : children}</section>;
}

const grouped = (count: number): string => count.toLocaleString('en').replaceAll(',', '\u202f');
/** Nothing if there is none. */
const some = (count: number): string => count === 0 ? '' : grouped(count);

function Facts({ info: { data, error } }: { info: Loaded<Info> }) {
  const facts: readonly (readonly [string, string])[] = data ? [
    ['Positions', grouped(data.positions)],
    ['Links', grouped(data.links)],
    ['Leaves', grouped(data.leaves)],
    ['Games', some(data.games)],
    ['Value of the start', signed(data.root)],
    ['Waiting leaves', some(data.waiting)],
  ] : [];
  return (
    <section class="facts-row" aria-label="Size">
      {error && <p role="alert">{error}</p>}
      <dl>{facts.filter(([, value]) => value !== '').map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      {data && <p class="quiet">{[data.file, `rules of ${data.rules}`, data.level == null ? '' : `level ${data.level}`, data.written ? `written ${data.written}` : ''].filter(Boolean).join(' · ')}</p>}
      {data?.learning && <Run learning={data.learning} />}
    </section>
  );
}

/** A run of `obook learn` that goes on, or was interrupted. Its plot shows the value of the root over time. */
function Run({ learning: { change, stage, searches, seconds, rate, root } }: { learning: Learning }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Stage', String(stage)],
    ['Searches in it', grouped(searches)],
    ['Searches a minute', rate == null ? '' : rate.toFixed(rate < 10 ? 1 : 0)],
    ...(seconds == null ? [] : seconds < 5400 ? [['Minutes', (seconds / 60).toFixed(0)] as const] : [['Hours', (seconds / 3600).toFixed(1)] as const]),
    ['Value of the start', signed(root)],
  ];
  return (
    <section class="card run" aria-label="Learning">
      <h2>An unfinished run of <code>obook learn</code>, change {change}</h2>
      <dl>{facts.filter(([, value]) => value !== '').map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    </section>
  );
}

/** What `obook learn` and `obook search` do next. */
function Next({ list }: { list: readonly NextSearch[] }) {
  if (list.length === 0) return null;
  return (
    <Section title="Searched next" error={null} sql={'SELECT hex(board) AS board, kind, level, priority\nFROM tasks\nORDER BY engine IS NOT NULL, priority DESC\nLIMIT 12;'}>
      <table>
        <thead><tr><th scope="col">Line</th><th scope="col">For</th><th scope="col" class="number">Level</th></tr></thead>
        <tbody>{list.map(({ line, kind, level, leased }) => (
          <tr key={line}>
            <th scope="row"><button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line.startsWith('-') || line.length > 120 ? 'a board' : (line || 'the start')}</button></th>
            <td class="quiet">{{ leaf: 'a leaf', position: 'a new position', variation: 'a new line' }[kind] ?? kind}{leased ? ', on another machine now' : ''}</td>
            <td class="number quiet">{level}</td>
          </tr>
        ))}</tbody>
      </table>
    </Section>
  );
}

const PLOTS = [['empties', 'Positions by empty squares'], ['scores', 'Positions by value'], ['tree', 'Best lines']] as const;

/** A plot as a picture from text, so that a new version of the book replaces it. */
function Plot({ name, title }: { name: string; title: string }) {
  const { data } = useText(address(book.value, `plot/${name}.svg`));
  if (data === null) return null;
  return (
    <figure class={`card plot ${name}`}>
      <img src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(data)}`} alt={title} />
    </figure>
  );
}

function Near({ path, title, what }: { path: 'frontier' | 'worst'; title: string; what: string }) {
  const { data, error } = useJson<NearBest>(address(book.value, path, { limit: 12 }));
  const lossy = path === 'worst';
  return (
    <Section title={title} error={error} sql={`SELECT line, score, ${lossy ? 'cost' : 'loss'}, level\nFROM ${path}('f5')\nLIMIT 12;`}>
      <p class="quiet">{what}</p>
      {data?.moves.length === 0 && <p class="quiet">There are none.</p>}
      {data && data.moves.length > 0 && (
        <table>
          <thead><tr><th scope="col">Line</th><th scope="col" class="number">Score</th><th scope="col" class="number">{lossy ? 'Cost' : 'Loss'}</th><th scope="col" class="number">Level</th></tr></thead>
          <tbody>{data.moves.map((move) => {
            const line = move.line.endsWith(move.square) ? move.line : move.line + move.square;
            return (
              <tr key={line}>
                <th scope="row"><button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line}</button></th>
                <td class="number">{signed(move.score)}</td><td class="number">{lossy ? move.cost : move.loss}</td><td class="number quiet">{move.level}</td>
              </tr>
            );
          })}</tbody>
        </table>
      )}
    </Section>
  );
}

function Changes() {
  const { data, error } = useJson<History>(address(book.value, 'history'));
  return (
    <Section title="History" error={error} sql={'SELECT id, time, command, undone, counts\nFROM history\nORDER BY id DESC;'}>
      {data?.changes.length === 0 && <p class="quiet">Nothing has been recorded.</p>}
      <ol class="changes">{data?.changes.map(({ id, command, time, undone, counts }) => (
        <li key={id} class={undone ? 'undone' : ''}>
          <code>{command}</code>
          <span class="quiet"><time dateTime={time}>{time.replace('T', ' ').replace('Z', ' UTC')}</time>{undone ? ' · undone' : ''}
            {Object.entries(counts).filter(([, value]) => typeof value === 'number' && value !== 0).slice(0, 4).map(([name, value]) => ` · ${grouped(Number(value))} ${name.replaceAll('_', ' ')}`)}</span>
        </li>
      ))}</ol>
    </Section>
  );
}

export function BookPage() {
  const info = useJson<Info>(address(book.value, 'info'));
  return (
    <main class="bookpage">
      <h1>{book.value}</h1>
      <Facts info={info} />
      <div class="plots">{PLOTS.map(([name, title]) => <Plot key={`${book.value} ${name}`} name={name} title={title} />)}
        {info.data?.learning && <Plot name="growth" title="The run of obook learn" />}</div>
      <div class="columns">
        <Near path="frontier" title="Where to grow" what="The leaves nearest to best play." />
        <Near path="worst" title="Costly moves" what="Moves near best play that give up the most." />
        {!SITE && <Next list={info.data?.next ?? []} />}
      </div>
      {!SITE && <Changes />}
    </main>
  );
}
