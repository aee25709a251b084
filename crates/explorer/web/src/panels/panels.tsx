// The panels beside the board, one at a time.

import { ComparePanel } from './compare';
import { EditPanel } from './edit';
import { GamesPanel } from './games';
import { HintPanel } from './hint';
import { ParentsPanel } from './parents';
import { RepertoirePanel } from './repertoire';
import { ReviewPanel } from './review';
import { WhyPanel } from './why';
import { inBook } from '../repertoire';
import { answer, panel, type Panel } from '../state';

type Entry = readonly [Panel, string, () => preact.JSX.Element | null];
const REPERTOIRE: Entry = ['repertoire', 'Repertoire', RepertoirePanel];
/** A site has no server for the others. */
const PANELS: readonly Entry[] = SITE ? [REPERTOIRE] : [
  ['games', 'Games', GamesPanel],
  ['why', 'Why', WhyPanel],
  ['parents', 'Other ways', ParentsPanel],
  ['hint', 'Hint', HintPanel],
  ['review', 'Review', ReviewPanel],
  REPERTOIRE,
  ['compare', 'Compare', ComparePanel],
];
const EDIT: Entry = ['edit', 'Edit', EditPanel];

export function Panels() {
  const panels = inBook.value ? [...PANELS, EDIT] : PANELS;
  const index = Math.max(0, panels.findIndex(([id]) => id === panel.value));
  const Shown = panels[index]![2];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    panel.value = panels[(index + step + panels.length) % panels.length]![0];
    document.getElementById(`tab-${panel.value}`)?.focus();
  };
  return (
    <section class="panels">
      <div role="tablist" aria-label="About this position" onKeyDown={onKeyDown}>
        {panels.map(([id, name]) => (
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
