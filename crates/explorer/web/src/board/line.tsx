// The line: the opening, the moves, and the best continuation.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { squareIndex, squareName } from '../othello';
import { answer, goTo, judged, markOf, moves, ply, showLine, showValues, signed, stale, steps, root } from '../state';

/** The line with each side's moves; the shown one is marked, and a click goes there. */
export function Line() {
  const list = steps.value.slice(1);
  const lossOf = (index: number): number => judged.value[index]?.loss ?? 0;
  return (
    <nav class="line" aria-label="Moves of the line">
      <button type="button" class={ply.value === 0 ? 'here' : ''} aria-current={ply.value === 0 ? 'step' : undefined}
        onClick={() => goTo(0)}>Start</button>
      {list.map((step, index) => (
        <button type="button" key={index} class={`${step.mover === 'X' ? 'black' : 'white'}${ply.value === index + 1 ? ' here' : ''}${index >= ply.value ? ' later' : ''}`}
          aria-current={ply.value === index + 1 ? 'step' : undefined}
          title={[lossOf(index) > 0 ? `Gave up ${lossOf(index)}` : '', step.passed ? 'The other side passes after this move' : ''].filter(Boolean).join('. ') || undefined}
          onClick={() => goTo(index + 1)}>
          <span class="stone" aria-hidden="true" />{squareName(step.move!)}{step.passed ? ' –' : ''}{markOf(lossOf(index)) && <b class="mistake">{markOf(lossOf(index))}</b>}
        </button>
      ))}
    </nav>
  );
}

const playing = signal(false);

/** The best line from here on, to step into or to watch. */
export function Best() {
  const best = (answer.value?.best ?? []).filter(({ square }) => square !== 'pa');
  useEffect(() => {
    if (!playing.value) return;
    const timer = setInterval(() => {
      if (ply.value >= steps.value.length - 1) playing.value = false;
      else goTo(ply.value + 1);
    }, 700);
    return () => clearInterval(timer);
  }, [playing.value]);
  useEffect(() => () => { playing.value = false; }, []);
  if (!showValues.value || (best.length === 0 && !playing.value)) return null;
  const take = (length: number): void =>
    showLine(root.value, [...moves.value.slice(0, ply.value), ...best.slice(0, length).map(({ square }) => squareIndex(square))], ply.value + length);
  const watch = (): void => {
    if (playing.value) { playing.value = false; return; }
    const from = ply.value;
    take(best.length);
    goTo(from);
    playing.value = true;
  };
  return (
    <section class={`bestline${stale.value ? ' stale' : ''}`} aria-label="Best line">
      <h2>Best line</h2>
      <p>
        {best.map(({ square, score, kind }, index) => (
          <button type="button" key={index} class="link" title={`${signed(score)}${kind === 'leaf' ? ', leads out of the book' : ''}`}
            onClick={() => take(index + 1)}>{square}</button>
        ))}
        <button type="button" class="quietbutton" onClick={watch}>{playing.value ? 'Stop' : 'Play it'}</button>
      </p>
    </section>
  );
}
