// Another source beside the book: a second book, or the games of a player and where he leaves this one.

import { useState } from 'preact/hooks';
import { useJson } from './load';
import { address, getJson, message } from '../api/client';
import type { Departures, Players } from '../api/types';
import { besideFailure, book, books, compare, second, showWritten, signed, type Second } from '../state';

const COLOURS = [['player', 'Either colour'], ['black', 'Black'], ['white', 'White']] as const;

function Leaves({ from }: { from: Second }) {
  const side = from.as === 'player' ? undefined : from.as;
  const { data, loading, error } = useJson<Departures>(address(book.value, 'departures', { player: from.player, games: from.book, side }));
  if (error) return <p role="alert">{error}</p>;
  if (!data) return null;
  return (
    <div class={loading ? 'stale' : ''}>
      <p class="quiet" role="status">{data.games} {data.games === 1 ? 'game' : 'games'}. {from.player} left the book first in {data.left}, the opponent in {data.left_by_opponent}.</p>
      {data.moves.length > 0 && (
        <table class="departures">
          <thead><tr><th scope="col">Leaves the book by</th><th scope="col" class="number">Games</th><th scope="col" class="number">Gives up</th><th scope="col">Best</th><th scope="col" class="number" title="Mean result of these games for the player">Mean</th></tr></thead>
          <tbody>{data.moves.map(({ line, square, games, loss, at_least: least, best, mean }) => (
            <tr key={line + square}>
              <td><button type="button" class="link moves-text" title="Show the position before it" onClick={() => showWritten(line)}>{line} <b>{square}</b></button></td>
              <td class="number">{games}</td><td class="number">{loss == null ? '' : `${least ? '≥ ' : ''}${loss}`}</td><td>{best}</td>
              <td class="number">{mean == null ? '' : signed(Math.round(mean * 10) / 10)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </div>
  );
}

/** The field for a player’s name; part of it is enough if only one has it. */
function Player({ from, known }: { from: string; known: Second | null }) {
  const [text, setText] = useState(known?.player ?? '');
  const [as, setAs] = useState<Second['as']>(known?.as ?? 'player');
  const [several, setSeveral] = useState<readonly string[]>([]);
  const [error, setError] = useState<string | null>(null);
  const show = (player: string): void => { setText(player); setSeveral([]); compare({ book: from, player, as }); };
  const find = async (): Promise<void> => {
    setError(null);
    const asked = text.trim();
    if (asked === '') return show('');
    const { players } = await getJson<Players>(address(from, 'players', { search: asked }));
    const whole = players.find((name) => name.toLowerCase() === asked.toLowerCase()) ?? (players.length === 1 ? players[0] : undefined);
    if (whole !== undefined) return show(whole);
    setSeveral(players);
    if (players.length === 0) setError('No player’s name contains this.');
  };
  return (
    <>
      <form class="row" onSubmit={(event) => { event.preventDefault(); find().catch((problem: unknown) => setError(message(problem))); }}>
        <label>Only games of <input value={text} maxLength={100} placeholder="a player" onInput={(event) => setText(event.currentTarget.value)} /></label>
        <label>as <select aria-label="The player’s colour" value={as} onChange={(event) => setAs(event.currentTarget.value as Second['as'])}>
          {COLOURS.map(([value, name]) => <option key={value} value={value}>{name}</option>)}</select></label>
        <button type="submit">Show</button>
      </form>
      {error && <p role="alert">{error}</p>}
      {several.length > 0 && <ul aria-label="Players">{several.map((name) => <li key={name}><button type="button" class="link" onClick={() => show(name)}>{name}</button></li>)}</ul>}
    </>
  );
}

export function ComparePanel() {
  const [from, setFrom] = useState(second.value?.book ?? '');
  const choose = (name: string): void => { setFrom(name); compare(name === '' ? null : { book: name, player: '', as: 'player' }); };
  const found = second.value;
  const sources = books.value.filter(({ name, games }) => name !== book.value || games);
  return (
    <div class="compare">
      <p class="row"><label>Beside {book.value} <select value={sources.some(({ name }) => name === from) ? from : ''} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">nothing</option>
        {sources.map(({ name }) => <option key={name} value={name}>{name === book.value ? 'a player of its games' : name}</option>)}
      </select></label></p>
      {books.value.some(({ name, games }) => name === from && games) && <Player key={from} from={from} known={found} />}
      {besideFailure.value && <p role="alert">{besideFailure.value}</p>}
      {found?.player && <Leaves from={found} />}
    </div>
  );
}
