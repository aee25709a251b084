// The board page: the board, and beside it what is known about its position.

import { Legend } from '../board/board';
import { Chart } from '../board/chart';
import { Best, Line } from '../board/line';
import { Moves } from '../board/moves';
import { BoardSide, resultOf } from '../board/side';
import { Setup, startEditing } from '../board/setup';
import { Variations } from '../board/variations';
import { goesOn, toggleEngine, useEngine } from '../engine';
import { mirror, rotate } from '../keys';
import { colourName, readWritten } from '../othello';
import { Panels } from '../panels/panels';
import { note } from '../repertoire';
import { answer, editing, failure, fromStart, game, gameOver, goTo, here, hint, isBeyond, isGame, panel, ply, sheet, showLine, showValues, signed, source, stale, steps } from '../state';

const Icon = ({ path }: { path: string }) => <svg viewBox="0 0 24 24" class="icon" aria-hidden="true"><path d={path} /></svg>;

function Tool({ name, path, run, disabled = false, pressed }: { name: string; path: string; run: () => void; disabled?: boolean; pressed?: boolean }) {
  return (
    <button type="button" class="tool" title={name} aria-label={name} aria-disabled={disabled}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })} onClick={run}><Icon path={path} /></button>
  );
}

function Tools() {
  const end = steps.value.length - 1;
  return (
    <div class="tools" role="toolbar" aria-label="Board">
      <Tool name="First position (Home)" path="M18 6l-6 6 6 6M11 6l-6 6 6 6" run={() => goTo(0)} disabled={ply.value === 0} />
      <Tool name="Back one move (←)" path="M15 6l-6 6 6 6" run={() => goTo(ply.value - 1)} disabled={ply.value === 0} />
      <Tool name="Forward one move (→)" path="M9 6l6 6-6 6" run={() => goTo(ply.value + 1)} disabled={ply.value >= end} />
      <Tool name="Last position (End)" path="M6 6l6 6-6 6M13 6l6 6-6 6" run={() => goTo(end)} disabled={ply.value >= end} />
      <span class="space" />
      <Tool name="Show values (v)" path="M3 12q9-13 18 0q-9 13-18 0M12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5" pressed={showValues.value} run={() => { showValues.value = !showValues.value; }} />
      {!SITE && <Tool name="The engine searches beyond the book (a)" path="M9 3v3M15 3v3M9 18v3M15 18v3M3 9h3M3 15h3M18 9h3M18 15h3M6 6h12v12H6zM10 10h4v4h-4z" pressed={goesOn.value} run={toggleEngine} />}
      <Tool name="Rotate the board (r)" path="M20 12a8 8 0 11-2.5-5.8M20 3v5h-5" run={rotate} />
      <Tool name="Mirror the board (m)" path="M12 3v18M8 7l-5 5 5 5M16 7l5 5-5 5" run={mirror} />
      <Tool name="Set up a board (e)" path="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" run={startEditing} />
      <Tool name="Share (s)" path="M12 15V3M8 7l4-4 4 4M5 12v8h14v-8" run={() => { sheet.value = 'share'; }} />
    </div>
  );
}

/** Who played the game on the board, where, and how it ended. */
function GameHead() {
  const found = game.value;
  if (!found) return null;
  const again = (): void => { const { root, moves } = readWritten(found.line); showLine(root, moves); };
  const { black, white, tournament, date, score } = found;
  const result = score == null ? '' : `${score > 0 ? '+' : ''}${score}`.replace('-', '−');
  return (
    <header class="gamehead">
      <p><b>{black ?? 'Black'}</b> – <b>{white ?? 'White'}</b> <span class="number">{result}</span>
        <span class="quiet"> {[tournament, date].filter(Boolean).join(' · ')}</span></p>
      {source.value !== null && panel.value !== 'games' && <button type="button" class="link" onClick={() => { panel.value = 'games'; }}>All games</button>}
      {!isGame.value && <button type="button" class="link" onClick={again}>Back to its moves</button>}
      <button type="button" class="quietbutton" aria-label="Close the game" onClick={() => { game.value = null; }}>✕</button>
    </header>
  );
}

/** The value of the position, its name, and whose move it is. */
function Head() {
  const found = answer.value;
  const { turn, passed } = here.value;
  const searched = hint.value?.moves[0];
  const bounds = found?.lower != null && found.upper != null && found.lower !== found.upper ? `between ${signed(found.lower)} and ${signed(found.upper)}` : '';
  const search = found?.level == null ? '' : `level ${found.level}${found.engine ? ` (${found.engine})` : ''}`;
  const lines = found?.lines?.all ? `${found.lines.all.toLocaleString('en')} ${found.lines.all === 1 ? 'line' : 'lines'}` : '';
  return (
    <header class={`head${stale.value ? ' stale' : ''}`}>
      <div>
        <h1>{found?.opening ? <button type="button" class="plain" title="Search openings (/)" onClick={() => { sheet.value = 'openings'; }}>
          {found.opening.name} {found.opening.japanese && found.opening.japanese !== found.opening.name && <span lang="ja">{found.opening.japanese}</span>}</button>
          : ply.value > 0 ? `Move ${ply.value}` : fromStart.value ? 'Start position' : 'Set-up position'}</h1>
        <p class="quiet" role="status">
          {gameOver.value ? resultOf(here.value.board) : `${passed ? `${colourName(turn === 'X' ? 'O' : 'X')} passes, ` : ''}${colourName(turn)} to move`}
          {found && !stale.value && !found.in_book && !gameOver.value
            ? found.value != null ? ' · a leaf of the book' : SITE ? ' · not on this page' : ' · not in the book' : ''}
        </p>
        {showValues.value && <p class="quiet facts">{[bounds, search, lines, found?.grade ? `grade ${found.grade}` : ''].filter(Boolean).join(' · ')}</p>}
      </div>
      {showValues.value && (found?.value != null ? <p class="headline" title={`For ${colourName(turn)}`}>{signed(found.value)}</p>
        : isBeyond.value && searched && <p class="headline engine" title={`For ${colourName(turn)}, by the engine`}>{signed(searched.score)}</p>)}
    </header>
  );
}

export function BoardPage() {
  useEngine();
  return (
    <main class="boardpage">
      <BoardSide>
        <Tools />
        <Legend />
      </BoardSide>
      <div class="beside">
        {editing.value ? <Setup /> : (
          <>
            <GameHead />
            <Head />
            {failure.value && <p role="alert">{failure.value}</p>}
            {note.value && <p class="note">{note.value}</p>}
            <Moves />
            <Line />
            <Variations />
            <Best />
            <Chart />
            <Panels />
          </>
        )}
      </div>
    </main>
  );
}
