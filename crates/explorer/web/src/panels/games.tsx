// The games through the position, with filters.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useJson } from './load';
import { address, getJson, message } from '../api/client';
import type { Game, Games } from '../api/types';
import { squareIndex } from '../othello';
import { showGame } from '../read';
import { SqlLink } from '../sqllink';
import { at, book, entry, hovered, notice, playMove, ply, signed, source } from '../state';

const FILTERS = [['player', 'Player'], ['tournament', 'Tournament'], ['since', 'From year'], ['until', 'To year']] as const;
type Filter = (typeof FILTERS)[number][0];
const filters = signal<Record<Filter, string>>({ player: '', tournament: '', since: '', until: '' });
const filtering = signal(false);

function Row({ game }: { game: Game }) {
  const square = game.square ? squareIndex(game.square) : null;
  const open = (): void => { (source.value === null ? showGame(book.value, game.game, ply.value) : showGame(source.value, game.game)).catch((problem: unknown) => { notice.value = message(problem); }); };
  return (
    <tr onPointerEnter={() => { hovered.value = square; }} onPointerLeave={() => { hovered.value = null; }}>
      <td class="players">
        <button type="button" class="link" title="Open this game" onClick={open}>{game.black ?? 'Unknown'} – {game.white ?? 'Unknown'}</button>
        <span class="quiet">{[game.tournament, game.date].filter(Boolean).join(', ')}</span>
      </td>
      <td class="number">{game.score == null ? '' : signed(game.score)}</td>
      <td>{square !== null && square >= 0 && <button type="button" class="move" aria-label={`Play ${game.square}`} onClick={() => playMove(square)}>{game.square}</button>}</td>
    </tr>
  );
}

export function GamesPanel() {
  const from = source.value;
  const asked = { limit: 50, ...filters.value };
  const url = from !== null ? address(from, 'games', { anywhere: 'true', ...asked }) : entry.value?.games ? address(book.value, 'games', { at: at.value, ...asked }) : null;
  const { data, loading, error } = useJson<Games>(url);
  const [more, setMore] = useState<Games | null>(null);
  useEffect(() => setMore(null), [data]);
  if (url === null) return <p class="quiet">This book has no games. Add some with <code>obook games import</code>.</p>;
  const games = [...(data?.games ?? []), ...(more?.games ?? [])];
  const next = more ? more.next : data?.next;
  const loadMore = (): void => {
    getJson<Games>(`${url}&before=${next}`).then(
      (found) => setMore({ games: [...(more?.games ?? []), ...found.games], next: found.next ?? null }),
      (problem: unknown) => { notice.value = message(problem); },
    );
  };
  const active = Object.values(filters.value).some((value) => value !== '');
  return (
    <div class={loading ? 'stale' : ''}>
      <p class="row">
        <button type="button" class="link" aria-expanded={filtering.value} onClick={() => { filtering.value = !filtering.value; }}>
          {active ? 'Filters are set' : 'Filter'}</button>
        {from !== null && <span class="quiet">Games of {from}</span>}
        <span class="space" />
        {from !== null ? <button type="button" class="link" onClick={() => { source.value = null; }}>Close the list</button> : <SqlLink sql={`SELECT date, tournament, black, white, score, square\nFROM games_at('${at.value}')\nLIMIT 100;`} />}
      </p>
      {filtering.value && (
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          {FILTERS.map(([name, label]) => (
            <label key={name}>{label}
              <input value={filters.value[name]} inputMode={name === 'since' || name === 'until' ? 'numeric' : 'text'}
                {...(name === 'since' || name === 'until' ? { pattern: '\\d{4}', maxLength: 4 } : {})}
                onChange={(event) => { filters.value = { ...filters.value, [name]: event.currentTarget.value.trim() }; }} />
            </label>
          ))}
        </form>
      )}
      {error && <p role="alert">{error}</p>}
      {data && games.length === 0 && <p class="quiet">{active ? 'No game here fits the filters.' : from !== null ? 'There is no game.' : 'No game came here.'}</p>}
      {games.length > 0 && (
        <table class="games">
          <thead><tr><th scope="col">Black – White</th><th scope="col" class="number" title="Black’s discs minus White’s">Result</th><th scope="col">Next</th></tr></thead>
          <tbody>{games.map((game) => <Row key={game.game} game={game} />)}</tbody>
        </table>
      )}
      {next != null && <p><button type="button" onClick={loadMore}>More games</button></p>}
    </div>
  );
}
