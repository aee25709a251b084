// The value over the line, for Black. The curve ends where the book or the page does: the engine's values are a dashed curve of their own.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAbort } from '../api/client';
import { squareName } from '../othello';
import { book, goTo, hints, isMistake, judged, place, ply, review, positionAt, showValues, signed, steps, version } from '../state';

interface Point { readonly ply: number; readonly value: number }
const points = signal<readonly Point[]>([]);

function useValues(): void {
  const list = steps.value;
  useEffect(() => {
    const control = new AbortController();
    const load = async (): Promise<void> => {
      const found: Point[] = [];
      // One after the other: the positions already seen are in the cache, and the rest need no hurry.
      for (let index = 0; index < list.length; index++) {
        const answer = await positionAt(place(index), control.signal);
        if (control.signal.aborted) return;
        if (answer.value != null) found.push({ ply: index, value: answer.turn === 'black' ? answer.value : -answer.value });
      }
      points.value = found;
    };
    const timer = setTimeout(() => load().catch((error: unknown) => { if (!isAbort(error)) points.value = []; }), 150);
    return () => { clearTimeout(timer); control.abort(); };
  }, [list, book.value, version.value]);
}

/** What the engine found where the book has no value, with the values of the book before and after it. */
function beyond(list: readonly Point[]): Point[] {
  const known = new Map(list.map((point) => [point.ply, point]));
  const found = steps.value.flatMap((step, at) => {
    const best = known.has(at) ? undefined : hints.value.get(place(at))?.moves[0];
    return best ? [{ ply: at, value: step.turn === 'X' ? best.score : -best.score }] : [];
  });
  const ends = found.flatMap(({ ply: at }) => [known.get(at - 1), known.get(at + 1)]).filter((point) => point !== undefined);
  return [...new Set([...found, ...ends])].sort((a, b) => a.ply - b.ply);
}

const WIDTH = 480;
const HEIGHT = 120;

export function Chart() {
  useValues();
  const last = steps.value.length - 1;
  const list = points.value.filter(({ ply: at }) => at <= last);
  const searched = judged.value.length > 0 ? [review.value!.value, ...judged.value.map(({ value }) => value)].map((value, at) => ({ ply: at, value })) : beyond(list);
  if (!showValues.value || last < 2 || list.length + searched.length < 2) return null;
  const top = Math.max(4, ...[...list, ...searched].map(({ value }) => Math.abs(value)));
  const x = (at: number): number => 34 + (at * (WIDTH - 44)) / last;
  const y = (value: number): number => HEIGHT / 2 - (value * (HEIGHT / 2 - 10)) / top;
  // A gap breaks a curve.
  const path = (along: readonly Point[]): string => along.map(({ ply: at, value }, index) => `${index > 0 && along[index - 1]!.ply === at - 1 ? 'L' : 'M'}${x(at)} ${y(value)}`).join('');
  const end = list[list.length - 1]?.ply ?? last;
  return (
    <section class="chart" aria-label="Value over the line">
      <h2>Value for Black</h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          goTo(Math.round((((event.clientX - box.left) / box.width) * WIDTH - 34) / ((WIDTH - 44) / last)));
        }}>
        <path class="axis" d={`M34 ${y(0)}H${WIDTH}`} />
        <text class="mark" x="28" y={y(top) + 4}>{signed(top)}</text>
        <text class="mark" x="28" y={y(0) + 4}>0</text>
        <text class="mark" x="28" y={y(-top) + 4}>{signed(-top)}</text>
        {end < last && <path class="end" d={`M${x(end)} 4V${HEIGHT - 4}`} />}
        {end < last && <text class="mark end" x={Math.min(x(end) + 6, WIDTH - 90)} y={HEIGHT - 4}>{SITE ? 'this page ends' : 'the book ends'}</text>}
        <path class="now" d={`M${x(ply.value)} 4V${HEIGHT - 4}`} />
        {searched.length > 0 && <path class="searched" d={path(searched)} />}
        {judged.value.length === 0 && searched.map(({ ply: at, value }) => <circle key={`found ${at}`} class="found" cx={x(at)} cy={y(value)} r="2.5" />)}
        {judged.value.map((move, index) => isMistake(move) && <circle key={index} class="mistakepoint" cx={x(index + 1)} cy={y(move.value)} r="3.5" />)}
        <path class="curve" d={path(list)} />
        {list.map(({ ply: at, value }) => <circle key={at} class={at === ply.value ? 'point here' : 'point'} cx={x(at)} cy={y(value)} r={at === ply.value ? 5 : 2.5} />)}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead><tr><th scope="col">Move</th><th scope="col">Value for Black</th></tr></thead>
          <tbody>{list.map(({ ply: at, value }) => {
            const move = steps.value[at]?.move;
            return <tr key={at}><th scope="row">{at === 0 || move == null ? 'Start' : `${at}. ${squareName(move)}`}</th><td>{signed(value)}</td></tr>;
          })}</tbody>
        </table>
      </details>
    </section>
  );
}
