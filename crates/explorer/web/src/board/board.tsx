// The board: a grid of squares drawn as SVG, played by mouse, touch, wheel and keys.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { editSquare } from './setup';
import { engine, goesOn, toggleEngine } from '../engine';
import { Square, Value, type Look } from './squares';
import { colourName, place, squareIndex, squareName, turns } from '../othello';
import { mine } from '../repertoire';
import { besideOf, bookMoves, editing, gameOver, goTo, hands, here, hint, hinted, hovered, isBeyond, mistakeHere, nextMove, orientation, page, playMove, ply, second, showValues, signed, takeBack, valuesShown } from '../state';

/** Whether wheel and swipes step through the line. */
const steps = (): boolean => !editing.value && (hands.value?.steps ?? true);

/** The square that has the focus when the grid has it. */
const focused = signal(squareIndex('d3'));

function looks(): Look[] {
  const step = here.value;
  const best = Math.max(...bookMoves.value.map(({ score }) => score ?? -100));
  const found = Math.max(...[...hinted.value.values()].map(({ score }) => score));
  const preview = hovered.value === null ? [] : turns(step.board, step.turn, hovered.value);
  return Array.from({ length: 64 }, (_, square) => {
    const name = squareName(square);
    const sign = step.board[square]!;
    const move = valuesShown.value && !editing.value ? (bookMoves.value.find((known) => known.square === name) ?? null) : null;
    const loss = move?.score == null ? null : best - move.score;
    const engine = valuesShown.value && !editing.value && second.value === null ? (hinted.value.get(name) ?? null) : null;
    const theirs = valuesShown.value && !editing.value && page.value === 'board' ? besideOf(name) : null;
    const legal = !editing.value && step.legal.includes(square);
    const { x, y } = place(square, orientation.value);
    const ring = step.move === null ? 0 : Math.max(Math.abs((square % 8) - (step.move % 8)), Math.abs((square >> 3) - (step.move >> 3)));
    const better = !editing.value && page.value === 'board' && nextMove.value !== square && mistakeHere.value?.best === name;
    const what = sign === 'X' ? 'black' : sign === 'O' ? 'white' : legal ? 'legal' : 'empty';
    const known = move?.score == null ? '' : `, ${signed(move.score)}${loss === 0 ? ', best' : ''}, ${move.kind === 'leaf' ? 'a leaf' : 'in the book'}`;
    return {
      x, y, square, name, sign, move, loss, legal,
      other: theirs !== null ? { text: theirs, proven: false } : engine && { text: signed(engine.score), proven: engine.proven },
      engineBest: theirs === null && isBeyond.value && engine?.score === found,
      label: `${name}, ${what}${known}${theirs !== null ? `, ${second.value!.player || second.value!.book} ${theirs}` : engine ? `, engine ${signed(engine.score)}` : ''}${step.move === square ? ', last move' : ''}${better ? ', better than the next move' : ''}${valuesShown.value && !editing.value && mine.value.has(name) ? ', your move' : ''}`,
      turning: step.turned.includes(square) && !editing.value ? (ring - 1) * 20 : null,
      last: step.move === square && !editing.value,
      next: nextMove.value === square && !editing.value && (hands.value?.steps ?? true),
      better,
      preview: preview.includes(square),
      mine: valuesShown.value && !editing.value && mine.value.has(name),
      focusable: square === focused.value,
    };
  });
}

const ARROWS: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function squareOf(event: Event): number | null {
  const cell = event.target instanceof Element ? event.target.closest('[data-square]') : null;
  return cell ? squareIndex(cell.getAttribute('data-square') ?? '') : null;
}

export function Board() {
  const svg = useRef<SVGSVGElement>(null);
  const touch = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    // The wheel steps through the line. Only this listener is not passive.
    let moved = 0;
    const onWheel = (event: WheelEvent): void => {
      if (event.ctrlKey || !steps()) return;
      event.preventDefault();
      moved += event.deltaY;
      if (Math.abs(moved) < 30) return;
      goTo(ply.value + Math.sign(moved));
      moved = 0;
    };
    const element = svg.current!;
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);

  const choose = (square: number, colour?: boolean): void => {
    focused.value = square;
    if (editing.value) editSquare(square, colour ?? false);
    else (hands.value?.choose ?? playMove)(square);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const square = squareOf(event);
    const arrow = ARROWS[event.key];
    if (square === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Enter' || (event.key === ' ' && editing.value)) {
      event.preventDefault();
      event.stopPropagation();
      choose(square);
    } else if (arrow) {
      event.preventDefault();
      event.stopPropagation();
      const from = place(square, orientation.value);
      const x = Math.max(0, Math.min(7, from.x + arrow[0]));
      const y = Math.max(0, Math.min(7, from.y + arrow[1]));
      const target = all.find((look) => look.x === x && look.y === y)!;
      focused.value = target.square;
      svg.current!.querySelector<SVGGElement>(`[data-square="${target.name}"]`)!.focus();
    }
  };
  const all = looks();
  const rows = Array.from({ length: 8 }, (_, y) => all.filter((look) => look.y === y).sort((a, b) => a.x - b.x));
  const corner = place(0, orientation.value);
  const across = place(1, orientation.value).y === corner.y;
  const title = `Othello board, ${editing.value ? 'being set up' : `${colourName(here.value.turn)} to move`}`;
  return (
    <svg ref={svg} class={`board${editing.value ? ' editing' : ''}`} viewBox="-40 -40 856 856" role="grid" aria-label={title}
      onClick={(event) => { const square = squareOf(event); if (square !== null) choose(square, event.shiftKey); }}
      onMouseDown={(event) => {
        // The mouse doesn't move the focus here, so that the arrow keys still step through the line.
        event.preventDefault();
        (document.activeElement as HTMLElement | SVGElement | null)?.blur();
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        const square = squareOf(event);
        if (editing.value && square !== null) choose(square, true);
        else if (hands.value === null) takeBack();
      }}
      onPointerMove={(event) => { const square = squareOf(event); hovered.value = square !== null && event.pointerType === 'mouse' && here.value.legal.includes(square) && !editing.value ? square : null; }}
      onPointerLeave={() => { hovered.value = null; }}
      onTouchStart={(event) => { const [finger] = event.touches; touch.current = finger ? { x: finger.clientX, y: finger.clientY } : null; }}
      onTouchEnd={(event) => {
        const [finger] = event.changedTouches;
        if (!finger || !touch.current || !steps()) return;
        const [dx, dy] = [finger.clientX - touch.current.x, finger.clientY - touch.current.y];
        if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) goTo(ply.value + (dx > 0 ? -1 : 1));
      }}
      onKeyDown={onKeyDown}>
      <rect class="frame" x="-40" y="-40" width="856" height="856" rx="14" aria-hidden="true" />
      <rect class="field" width="800" height="800" aria-hidden="true" />
      {rows.map((row, y) => (
        <g role="row" key={y}>{row.map((look) => <Square key={look.square} look={look} version={ply.value} />)}</g>
      ))}
      <g aria-hidden="true">
        <path class="lines" d={Array.from({ length: 9 }, (_, i) => `M0 ${i * 100}H800M${i * 100} 0V800`).join('')} />
        {[200, 600].flatMap((x) => [200, 600].map((y) => <circle key={`${x} ${y}`} class="point" cx={x} cy={y} r="6" />))}
        {Array.from({ length: 8 }, (_, i) => {
          const file = place(i, orientation.value);
          const rank = place(i * 8, orientation.value);
          const [x, y] = across ? [file.x * 100 + 50, -13] : [-20, file.y * 100 + 58];
          const [u, v] = across ? [-20, rank.y * 100 + 58] : [rank.x * 100 + 50, -13];
          return [<text key={`file ${i}`} class="coordinate" x={x} y={y}>{'abcdefgh'[i]}</text>, <text key={`rank ${i}`} class="coordinate" x={u} y={v}>{i + 1}</text>];
        })}
        {all.map((look) => <Value key={look.square} look={look} />)}
      </g>
    </svg>
  );
}

const LEGEND = [
  ['best', '+2', 'best'], ['near', '+1', 'within 2'], ['behind', '−3', 'within 6'], ['far', '−9', 'more'],
  ['leaf', '⟨0⟩', 'leaves the book'], ['none', '·', 'unknown'], ['proven', '✓', 'proven'],
] as const;

/** Whether the legend is open on a small screen. */
const explained = signal(false);

const Engine = () => <span class="said"><span class="key engine">+1</span>the engine, level {hint.value!.level}{engine.value.running ? ' …' : ''}</span>;

const Beside = () => <span class="said"><span class="key engine">{second.value!.player ? '%' : '+1'}</span>{second.value!.player || second.value!.book}</span>;

/** What the signs on the squares mean, and who knows the position. */
export function Legend() {
  if (!showValues.value) return <p class="legend">Values are hidden. The eye or the key v shows them.</p>;
  if (SITE && isBeyond.value) return <p class="legend">This page goes no further here.</p>;
  if (isBeyond.value) {
    return (
      <p class="legend">
        <span class="said">The book doesn’t know this position.</span>
        {second.value ? <Beside /> : hint.value && <Engine />}
        {!gameOver.value && <button type="button" class="link" onClick={toggleEngine}>{goesOn.value ? 'Stop the engine' : 'Let the engine search'}</button>}
        {engine.value.error && <span class="said" role="alert">{engine.value.error}</span>}
      </p>
    );
  }
  return (
    <p class={`legend${explained.value ? ' open' : ''}`}>
      {second.value ? <Beside /> : hint.value && <Engine />}
      {LEGEND.map(([kind, sign, text]) => <span key={kind}><span class={`key ${kind}`}>{sign}</span>{text}</span>)}
      <button type="button" class="link meaning" aria-expanded={explained.value} onClick={() => { explained.value = !explained.value; }}>{explained.value ? 'Hide the legend' : 'What the signs mean'}</button>
    </p>
  );
}
