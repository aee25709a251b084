// The trainer: it asks for the book's move along a repertoire, and asks again what was missed.

import { batch, computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isAbort, message } from '../api/client';
import { BoardSide } from '../board/side';
import { kept, numberIn } from '../kept';
import { colourName, squareIndex, squareName, START } from '../othello';
import { save } from '../share';
import { parsed } from '../read';
import { answered, exported, imported, INTERVALS, merged, order, readDeck, type Deck } from '../train/deck';
import { MOST, questions, type Question, type Repertoire } from '../train/repertoire';
import { answer, book, bookMoves, hands, here, page, revealed, showLine, signed, stale, transcript } from '../state';

type Settings = Omit<Repertoire, 'opening'> & { readonly opening: string };
const settings = kept<Settings>('trainer', { opening: '', colour: 'X', loss: 2, depth: 8 }, (value) => {
  const { opening, colour } = (value ?? {}) as Record<string, unknown>;
  const [loss, depth] = [numberIn(value, 'loss', 0, 64), numberIn(value, 'depth', 1, 60)];
  const known = typeof opening === 'string' && opening.length <= 300 && (colour === 'X' || colour === 'O');
  return known && loss !== null && depth !== null ? { opening, colour, loss, depth } : null;
});

/** What was asked, by book: values differ from book to book. */
const decks = kept<Readonly<Record<string, Deck>>>('decks', {}, (value) => {
  if (typeof value !== 'object' || value === null) return null;
  const read = Object.entries(value).map(([name, deck]) => [name, readDeck(deck)] as const);
  return Object.fromEntries(read.filter((entry): entry is readonly [string, Deck] => entry[1] !== null));
});
const deck = computed<Deck>(() => decks.value[book.value] ?? {});
const setDeck = (next: Deck): void => { decks.value = { ...decks.value, [book.value]: next }; };

/** A missed question comes again after this many others. */
const AGAIN_AFTER = 3;

/** What it asks about: the book’s moves, mistakes of a game, or moves that a person marked. */
type Subject = 'book' | 'game' | 'repertoire';
const ASKED: Record<Subject, string> = { book: 'What does the book play for', game: 'What is best for', repertoire: 'What is your move for' };
const TOLD: Record<Subject, string> = { book: 'The book plays', game: 'Better is', repertoire: 'Your move is' };

interface Session {
  readonly book: string;
  readonly all: readonly Question[];
  /** The questions to come; the first is on the board. */
  readonly queue: readonly Question[];
  readonly right: number;
  readonly missed: number;
  /** The square that was chosen; null while the question is open. */
  readonly chosen: number | null;
  readonly about: Subject;
}
const session = signal<Session | null>(null);

const show = (question: Question | undefined): void => {
  batch(() => {
    revealed.value = false;
    if (question) showLine(START, question.moves);
  });
};

function begin(all: readonly Question[], queue: readonly Question[], about: Subject): void {
  session.value = { book: book.value, all, queue, right: 0, missed: 0, chosen: null, about };
  show(queue[0]);
}

/** Asks for better moves than the mistakes of a game, or for the moves of a repertoire. */
export function ask(questions: readonly Question[], about: Subject): void {
  begin(questions, order(questions, deck.value, Date.now()), about);
}

function choose(square: number): void {
  const now = session.value;
  const question = now?.queue[0];
  if (!now || !question) return;
  if (now.chosen !== null) return next();
  if (!here.value.legal.includes(square)) return;
  const right = question.answers.includes(squareName(square));
  batch(() => {
    setDeck({ ...deck.value, [question.key]: answered(deck.value[question.key], question.line, right, Date.now()) });
    session.value = { ...now, chosen: square, right: now.right + (right ? 1 : 0), missed: now.missed + (right ? 0 : 1) };
    revealed.value = true;
  });
}

function next(): void {
  const now = session.value;
  const [question, ...rest] = now?.queue ?? [];
  if (!now || !question || now.chosen === null) return;
  const missed = !question.answers.includes(squareName(now.chosen));
  const queue = missed ? [...rest.slice(0, AGAIN_AFTER), question, ...rest.slice(AGAIN_AFTER)] : rest;
  session.value = { ...now, queue, chosen: null };
  show(queue[0]);
}

/** A span of time in words. */
function inWords(ms: number): string {
  const [minutes, hours, days] = [ms / 60_000, ms / 3_600_000, ms / 86_400_000];
  const counted = (count: number, unit: string): string => `${Math.round(count)} ${unit}${Math.round(count) === 1 ? '' : 's'}`;
  return minutes < 90 ? counted(Math.max(1, minutes), 'minute') : hours < 24 ? counted(hours, 'hour') : counted(days, 'day');
}

function Files() {
  const [said, setSaid] = useState<{ text: string; wrong: boolean } | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const count = Object.keys(deck.value).length;
  const read = async (): Promise<void> => {
    const [chosen] = file.current!.files ?? [];
    if (!chosen) return;
    const found = chosen.size > 16 << 20 ? null : imported(await chosen.text());
    file.current!.value = '';
    if (!found) return setSaid({ text: `${chosen.name} is not a file of this trainer.`, wrong: true });
    setDeck(merged(deck.value, found));
    setSaid({ text: `${Object.keys(found).length} positions read.`, wrong: false });
  };
  return (
    <section class="card files" aria-label="What you have learned">
      <h2>What you have learned</h2>
      <p class="quiet">{count === 0 ? 'Nothing yet.' : `${count} ${count === 1 ? 'position' : 'positions'} of this book.`} It is kept in this browser only.</p>
      <p class="buttons">
        <button type="button" aria-disabled={count === 0} onClick={() => save(new Blob([exported(deck.value)], { type: 'application/json' }), `trainer-${book.value}.json`)}>Export</button>
        <label class="button">Import<input ref={file} type="file" accept=".json,application/json" class="unseen" onChange={() => void read()} /></label>
        <span class="space" />
        <button type="button" aria-disabled={count === 0} onClick={() => { if (confirm('Forget everything you have learned about this book?')) setDeck({}); }}>Forget all</button>
      </p>
      {said && <p role={said.wrong ? 'alert' : 'status'}>{said.text}</p>}
    </section>
  );
}

function Begin() {
  const [busy, setBusy] = useState<AbortController | null>(null);
  const [error, setError] = useState<string | null>(null);
  const { opening, colour, loss, depth } = settings.value;
  const set = (change: Partial<Settings>): void => { settings.value = { ...settings.value, ...change }; };
  useEffect(() => () => busy?.abort(), [busy]);
  const start = async (): Promise<void> => {
    const control = new AbortController();
    setBusy(control);
    setError(null);
    try {
      const line = await parsed(opening);
      if (line.root !== START) throw new Error('The repertoire has to begin with moves from the start position.');
      const all = await questions({ opening: line.moves, colour, loss, depth }, control.signal);
      if (all.length === 0) throw new Error(`${SITE ? 'This page' : 'The book'} has no position here in which ${colourName(colour)} has a choice.`);
      begin(all, order(all, deck.value, Date.now()), 'book');
    } catch (problem) {
      if (!isAbort(problem)) setError(message(problem));
    }
    setBusy(null);
  };
  const whole = (event: { currentTarget: HTMLInputElement }, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.round(event.currentTarget.valueAsNumber) || least));
  return (
    <>
      <form class="card setup" aria-label="Repertoire" onSubmit={(event) => { event.preventDefault(); void start(); }}>
        <h1>Learn the book’s moves</h1>
        <p class="quiet">You play the book’s best move. Missed positions return soon, known ones at growing intervals.</p>
        <label>Opening: moves or a name; empty for the start
          <input value={opening} maxLength={300} spellcheck={false} placeholder="f5d6c3d3c4 or tiger" onInput={(event) => set({ opening: event.currentTarget.value })} /></label>
        {transcript() && transcript() !== opening && <p><button type="button" class="link" onClick={() => set({ opening: transcript() })}>Take the moves on the board</button></p>}
        <fieldset><legend>You play</legend>
          {(['X', 'O'] as const).map((sign) => (
            <label key={sign}><input type="radio" name="colour" checked={colour === sign} onChange={() => set({ colour: sign })} />{colourName(sign)}</label>
          ))}
        </fieldset>
        <div class="choices">
          <label>The other side loses, a move<input type="number" min="0" max="64" value={loss} onChange={(event) => set({ loss: whole(event, 0, 64) })} /></label>
          <label>Moves after the opening<input type="number" min="1" max="60" value={depth} onChange={(event) => set({ depth: whole(event, 1, 60) })} /></label>
        </div>
        {error && <p role="alert">{error}</p>}
        <p class="buttons"><button type="submit" class="primary" aria-disabled={busy !== null}>{busy ? 'Reading the book …' : 'Start'}</button></p>
      </form>
      <Files />
    </>
  );
}

function Done({ all, right, missed, about }: Session) {
  const times = all.map(({ key }) => deck.value[key]?.due ?? 0);
  const soonest = Math.min(...times) - Date.now();
  return (
    <section class="card setup" aria-label="Done">
      <h1>{right + missed === 0 ? 'Nothing is due' : 'Done for now'}</h1>
      <p role="status">{right + missed > 0 && `${right} right, ${missed} missed. `}{soonest > 0 ? `The next question is due in ${inWords(soonest)}.` : 'Some questions are due again.'}</p>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => begin(all, all, about)}>Ask all again</button>
        <button type="button" onClick={() => { session.value = null; }}>Another repertoire</button>
      </p>
    </section>
  );
}

function Asking({ now, question }: { now: Session; question: Question }) {
  const button = useRef<HTMLButtonElement>(null);
  const { chosen } = now;
  // Before the answer can be seen, so that Enter is never too early.
  useLayoutEffect(() => { if (chosen !== null) button.current?.focus(); }, [chosen]);
  const right = chosen !== null && question.answers.includes(squareName(chosen));
  const card = deck.value[question.key];
  const given = chosen === null ? undefined : bookMoves.value.find(({ square }) => squareIndex(square) === chosen);
  const lost = given?.score == null || answer.value?.value == null || stale.value ? null : answer.value.value - given.score;
  const name = answer.value && !stale.value ? answer.value.opening?.name : undefined;
  return (
    <>
      <section class="card setup question" aria-label="Question">
        <h1><span role="status">{chosen === null ? `${ASKED[now.about]} ${colourName(here.value.turn)}?`
          : right ? `Right: ${squareName(chosen)}` : `${TOLD[now.about]} ${question.answers.join(' or ')}`}</span></h1>
        <p class="quiet">{chosen === null ? (name ?? '\u00a0')
          : right ? `It comes again in ${inWords(INTERVALS[card?.step ?? 0]!)}.`
            : given?.score == null ? `${now.about === 'book' ? 'It' : 'The book'} doesn’t know ${squareName(chosen)}.` : `${squareName(chosen)} is worth ${signed(given.score)}${lost ? `, ${lost} less` : ''}.`}</p>
        <p class="buttons">
          <button type="button" ref={button} class="primary" aria-disabled={chosen === null} onClick={next}>Next</button>
          <span class="space" />
          {chosen !== null && <button type="button" onClick={() => { page.value = 'board'; }}>Look at it</button>}
          <button type="button" onClick={() => { show(undefined); session.value = null; }}>Stop</button>
        </p>
        <p class="quiet number">{now.queue.length - (chosen === null || !right ? 0 : 1)} to go · {now.right} right · {now.missed} missed{now.all.length === MOST ? ` · the first ${MOST} positions` : ''}</p>
      </section>
      <p class="quiet moves-text way">{question.moves.map(squareName).join(' ')}</p>
    </>
  );
}

export function TrainPage() {
  useLayoutEffect(() => {
    // The board may have been elsewhere since.
    const asked = session.value?.book === book.value ? session.value : null;
    if (asked) show(asked.queue[0]);
    revealed.value = asked !== null && asked.chosen !== null;
    hands.value = { choose: (square) => choose(square), steps: false };
    return () => batch(() => {
      hands.value = null;
      revealed.value = false;
    });
  }, [book.value]);
  // Another book has other moves.
  const now = session.value?.book === book.value ? session.value : null;
  return (
    <main class="boardpage">
      <BoardSide />
      <div class="beside">{now === null ? <Begin /> : now.queue[0] ? <Asking now={now} question={now.queue[0]} /> : <Done {...now} />}</div>
    </main>
  );
}
