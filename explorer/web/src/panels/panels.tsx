// The panels beside the board, one at a time.

import { GamesPanel } from './games';
import { HintPanel } from './hint';
import { ParentsPanel } from './parents';
import { WhyPanel } from './why';
import { answer, panel, type Panel } from '../state';

const PANELS: readonly (readonly [Panel, string, () => preact.JSX.Element | null])[] = [
  ['games', 'Games', GamesPanel],
  ['why', 'Why', WhyPanel],
  ['parents', 'Other ways', ParentsPanel],
  ['hint', 'Hint', HintPanel],
];

export function Panels() {
  const index = PANELS.findIndex(([id]) => id === panel.value);
  const Shown = PANELS[index]![2];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    panel.value = PANELS[(index + step + PANELS.length) % PANELS.length]![0];
    document.getElementById(`tab-${panel.value}`)?.focus();
  };
  return (
    <section class="panels">
      <div role="tablist" aria-label="About this position" onKeyDown={onKeyDown}>
        {PANELS.map(([id, name]) => (
          <button type="button" role="tab" id={`tab-${id}`} key={id} aria-selected={panel.value === id} aria-controls="panel"
            tabIndex={panel.value === id ? 0 : -1} onClick={() => { panel.value = id; }}>
            {name}{id === 'parents' && (answer.value?.parents ?? 0) > 1 && <span class="badge">{answer.value!.parents - 1}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${panel.value}`} tabIndex={0}><Shown /></div>
    </section>
  );
}
