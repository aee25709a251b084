// The trainer's memory: a card for each position that it asked about, and when to ask again.

import { exportOf } from '../kept';

/** A position that was asked about. */
export interface Card {
  /** A line to it, as the server is asked. */
  readonly line: string;
  /** How often in a row it was known, at most as often as there are intervals. */
  readonly step: number;
  /** When it was asked last, and when it is asked again, in milliseconds since 1970. */
  readonly asked: number;
  readonly due: number;
  /** How often it was missed. */
  readonly missed: number;
}

/** Cards by the keys of their positions, so that all orders of moves lead to the same card. */
export type Deck = Readonly<Record<string, Card>>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The time until the next question: the first after a miss, then longer each time. */
export const INTERVALS: readonly number[] = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 16 * DAY, 35 * DAY, 90 * DAY];
/** The most cards of a deck. */
const MOST = 20_000;

/** The card after an answer. A position that is known at once comes again in a day; a missed one begins anew. */
export function answered(card: Card | undefined, line: string, right: boolean, now: number): Card {
  const step = right ? Math.min((card?.step ?? 0) + 1, INTERVALS.length - 1) : 0;
  return { line, step, asked: now, due: now + INTERVALS[step]!, missed: (card?.missed ?? 0) + (right ? 0 : 1) };
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readCard(value: unknown): Card | null {
  const { line, step, asked, due, missed } = (value ?? {}) as Record<string, unknown>;
  if (typeof line !== 'string' || line.length > 300) return null;
  if (!isTime(step) || step >= INTERVALS.length || !isTime(asked) || !isTime(due) || !isTime(missed)) return null;
  return { line, step, asked, due, missed };
}

/** A deck from anywhere, or null if it isn't one. */
export function readDeck(value: unknown): Deck | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length > MOST) return null;
  const deck: Record<string, Card> = {};
  for (const [key, found] of entries) {
    const card = /^[0-9a-f]{32}$/.test(key) ? readCard(found) : null;
    if (!card) return null;
    deck[key] = card;
  }
  return deck;
}

/** Both decks in one: of two cards the one that was asked last. */
export function merged(mine: Deck, theirs: Deck): Deck {
  const deck: Record<string, Card> = { ...mine };
  for (const [key, card] of Object.entries(theirs)) {
    if ((deck[key]?.asked ?? -1) < card.asked) deck[key] = card;
  }
  return deck;
}

/** The text of a file with a deck. */
export const exported = (deck: Deck): string => `${JSON.stringify({ obook: 'trainer', cards: deck }, null, 1)}\n`;

/** Reads such a text; null if it isn't one. */
export const imported = (text: string): Deck | null => readDeck(exportOf(text, 'trainer')?.['cards']);

/** What to ask now: what is due, longest overdue first, then what was never asked, in the order of the repertoire. */
export function order<T extends { readonly key: string }>(questions: readonly T[], deck: Deck, now: number): T[] {
  const due = questions.filter(({ key }) => deck[key] && deck[key].due <= now);
  due.sort((a, b) => deck[a.key]!.due - deck[b.key]!.due);
  return [...due, ...questions.filter(({ key }) => !deck[key])];
}
