// The moves as a table: what the book says and what the games say.

import { message } from '../api/client';
import type { Move } from '../api/types';
import { lossClass } from './squares';
import { squareIndex } from '../othello';
import { SqlLink } from '../sqllink';
import { canMark, markOf, mine, toggle } from '../repertoire';
import { answer, at, besideOf, distinct, here, hinted, hovered, knownMoves, movesShown, notice, order, panel, playMove, rankedShown, second, showValues, signed, stale, transpositions, withUnknown, type Column, type Second } from '../state';


/** The second source, if its values have a column. */
const byValue = (): Second | null => (second.value?.player ? null : second.value);

/** 950, 12k, 3M: counts of lines grow without bound. */
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 0 });
const short = (count: number | null | undefined): string => (count == null ? '' : compact.format(count));

type Results = Pick<NonNullable<Move['games']>, 'wins' | 'draws' | 'losses'>;

/** Games won by Black, drawn, and won by White. */
function Bar({ wins, draws, losses }: Results) {
  const [black, white] = here.value.turn === 'X' ? [wins, losses] : [losses, wins];
  const total = black + draws + white;
  if (total === 0) return null;
  const part = (count: number): number => (100 * count) / total;
  const text = `${black} won by Black, ${draws} drawn, ${white} won by White`;
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <rect class="blackwins" width={part(black)} height="10" />
      <rect class="draws" x={part(black)} width={part(draws)} height="10" />
      <rect class="whitewins" x={part(black) + part(draws)} width={part(white)} height="10" />
    </svg>
  );
}

function Header({ column, children, title }: { column: Column; children: string; title: string }) {
  const { by, descending } = order.value;
  const sorted = by === column ? (descending ? 'descending' : 'ascending') : undefined;
  return (
    <th scope="col" class={`col-${column}`} {...(sorted ? { 'aria-sort': sorted } : {})}>
      <button type="button" title={title}
        onClick={() => { order.value = { by: column, descending: by === column ? !descending : column !== 'move' }; }}>{children}</button>
    </th>
  );
}

const Share = ({ of, all: whole }: { of: number; all: number }) => <span class="quiet share"> · {Math.round((100 * of) / whole)} %</span>;

/** All games that went on from here. */
function Sum({ played }: { played: readonly NonNullable<Move['games']>[] }) {
  const of = (measure: (games: NonNullable<Move['games']>) => number): number => played.reduce((sum, games) => sum + measure(games), 0);
  const known = played.filter(({ mean }) => mean != null);
  const rated = known.reduce((sum, { move }) => sum + move, 0);
  const mean = known.reduce((sum, games) => sum + games.mean! * games.move, 0) / rated;
  return (
    <tr>
      <th scope="row" title="All games that went on from here">Σ</th>
      {showValues.value && ['score', ...(byValue() ? ['second'] : []), 'col-bounds', 'col-search', 'col-lines'].map((column) => <td key={column} class={column} />)}
      <td class="number col-games">{of(({ move }) => move)}</td>
      <td class="col-result"><Bar wins={of(({ wins }) => wins)} draws={of(({ draws }) => draws)} losses={of(({ losses }) => losses)} /></td>
      <td class="number quiet col-mean">{rated === 0 ? '' : signed(Math.round(mean * 10) / 10)}</td>
    </tr>
  );
}

/** Whether a move is marked; a button while the repertoire is open. */
function Star({ square }: { square: string }) {
  const marked = mine.value.has(square);
  if (!canMark.value || (panel.value !== 'repertoire' && !SITE)) return marked ? <span class="star" role="img" aria-label="Your move">★</span> : null;
  const press = (event: Event): void => {
    event.stopPropagation();
    if (!stale.value) toggle(markOf(answer.value!, square)).catch((error: unknown) => { notice.value = message(error); });
  };
  return <button type="button" class="plain star" aria-pressed={marked} aria-label={`Your move: ${square}`} onClick={press}>{marked ? '★' : '☆'}</button>;
}

function Row({ move, best, all: total }: { move: Move; best: number; all: number }) {
  const games = total > 0;
  const square = squareIndex(move.square);
  const loss = move.score == null ? null : best - move.score;
  const bounds = move.lower != null && move.upper != null && move.lower !== move.upper ? `${signed(move.lower)} … ${signed(move.upper)}` : '';
  const { wins, draws, losses } = move.lines ?? {};
  const lines = wins == null ? '' : `Full games: ${wins} won, ${draws ?? 0} drawn, ${losses ?? 0} lost`;
  const search = [move.proven ? 'proven' : move.level == null ? '' : `level ${move.level}`, move.engine ?? '', move.grade ? `grade ${move.grade}` : ''].filter(Boolean).join(', ');
  const engine = move.score == null ? hinted.value.get(move.square) : undefined;
  const ways = transpositions.value.get(move.square) ?? 1;
  const reached = `The book reaches the position after it from ${ways} positions`;
  const other = move.games && move.games.position > move.games.move;
  return (
    <tr class={hovered.value === square ? 'hovered' : ''} onClick={() => playMove(square)}
      onPointerEnter={() => { hovered.value = square; }} onPointerLeave={() => { hovered.value = null; }}>
      <th scope="row">
        <span>
          <button type="button" class="move" aria-label={`Play ${move.square}`}>{move.square}</button>
          <Star square={move.square} />
          {move.name && <span class="name">{move.name}</span>}
          {ways > 1 && <span class="ways" role="img" aria-label={reached} title={reached}>⇄ {ways}</span>}
        </span>
      </th>
      {showValues.value && <td class={`number score ${engine ? 'engine' : lossClass(loss)}`}>{engine ? signed(engine.score) : move.kind === 'leaf' ? `⟨${signed(move.score)}⟩` : signed(move.score)}</td>}
      {showValues.value && byValue() && <td class="number engine">{besideOf(move.square)}</td>}
      {showValues.value && <td class="number quiet col-bounds">{bounds}</td>}
      {showValues.value && <td class="quiet col-search" title={search}>{move.proven ? '✓' : (move.level ?? '')}{move.grade && <span class="grade">{move.grade}</span>}</td>}
      {showValues.value && <td class="number quiet col-lines" title={lines}>{short(move.lines?.all)}</td>}
      {games && <td class="number col-games" title={other ? `${move.games!.move} games with this move, ${move.games!.position} through the position after it` : ''}>
        {move.games?.move ?? ''}{move.games && <Share of={move.games.move} all={total} />}{other && <span class="quiet"> / {move.games!.position}</span>}
      </td>}
      {games && <td class="col-result">{move.games && <Bar {...move.games} />}</td>}
      {games && <td class="number quiet col-mean">{move.games?.mean == null ? '' : signed(Math.round(move.games.mean * 10) / 10)}</td>}
    </tr>
  );
}

export function Moves() {
  const list = rankedShown.value;
  const best = Math.max(...list.map(({ score }) => score ?? -100));
  const known = knownMoves.value;
  const played = distinct(list).flatMap(({ games }) => games ?? []);
  const total = played.reduce((sum, { move }) => sum + move, 0);
  const games = total > 0;
  const compared = byValue();
  if (!answer.value || list.length === 0) return null;
  return (
    <section class={`moves${stale.value ? ' stale' : ''}${compared ? ' comparing' : ''}${games ? ' played' : ''}`} aria-label="Moves">
      <table>
        <thead>
          <tr>
            <Header column="move" title="The move and the opening that it leads to">Move</Header>
            {showValues.value && <Header column="score" title="Discs for the side to move. ⟨ ⟩: the move leads out of the book">Value</Header>}
            {showValues.value && compared && <Header column="second" title={`The value in ${compared.book}; sorted by the difference`}>{compared.book}</Header>}
            {showValues.value && <th scope="col" class="col-bounds">Bounds</th>}
            {showValues.value && <Header column="level" title="The level of the search, or ✓ if the score is proven">Level</Header>}
            {showValues.value && <Header column="lines" title="Lines of the book below the move">Lines</Header>}
            {games && <Header column="games" title="Games with this move / games through the position after it">{second.value?.player || 'Games'}</Header>}
            {games && <th scope="col" class="col-result">Result</th>}
            {games && <Header column="mean" title="Mean final difference in discs for the side to move">Mean</Header>}
          </tr>
        </thead>
        <tbody>{movesShown.value.map((move) => <Row move={move} best={best} all={total} />)}</tbody>
        {played.length > 1 && <tfoot><Sum played={played} /></tfoot>}
      </table>
      <p class="row under">
        {showValues.value && known.length > 0 && known.length < list.length && (
          <button type="button" class="link" onClick={() => { withUnknown.value = !withUnknown.value; }}>
            {withUnknown.value ? 'Only known moves' : `${list.length - known.length} other legal ${list.length - known.length === 1 ? 'move' : 'moves'}`}
          </button>
        )}
        <span class="space" />
        {games && <span class="quiet colours"><span class="blackwins" />Black wins <span class="draws" />drawn <span class="whitewins" />White wins</span>}
        <SqlLink sql={`SELECT square, kind, score, level\nFROM moves('${at.value}');`} />
      </p>
    </section>
  );
}
