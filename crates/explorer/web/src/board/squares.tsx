// One square: its disc, and what the book says about a move there.

import type { Move } from '../api/types';
import { signed } from '../state';

export interface Look {
  readonly x: number;
  readonly y: number;
  readonly square: number;
  readonly name: string;
  readonly label: string;
  readonly sign: string;
  /** Milliseconds after which the disc turns; null if it doesn't. */
  readonly turning: number | null;
  readonly last: boolean;
  readonly next: boolean;
  /** The review finds this move better than the next one of the line. */
  readonly better: boolean;
  readonly legal: boolean;
  readonly preview: boolean;
  readonly move: Move | null;
  readonly loss: number | null;
  /** What the second source says, or else the engine. */
  readonly other: { readonly text: string; readonly proven: boolean } | null;
  /** The engine finds no better move, and the book knows none. */
  readonly engineBest: boolean;
  /** A person marked the move. */
  readonly mine: boolean;
  readonly focusable: boolean;
}

/** The class of a loss: the best move, near it, some discs behind, far behind. */
export const lossClass = (loss: number | null): string =>
  loss === null ? 'unknown' : loss <= 0 ? 'best' : loss <= 2 ? 'near' : loss <= 6 ? 'behind' : 'far';

/** What somebody else says: large where the book has no value, else in a corner. */
function Searched({ look: { x, y, name, move, other, engineBest } }: { look: Look }) {
  if (!other) return null;
  const beside = move?.score != null;
  return (
    <g class="value engine" data-engine-of={name} transform={`translate(${x * 100 + 50} ${y * 100 + 50})`}>
      {engineBest && <circle class="ring" r="39" />}
      {beside ? <text class="level" x="-48" y="-35">{other.text}</text> : <text class={`score${other.text.length > 3 ? ' wide' : ''}`} y="12">{other.text}</text>}
      {other.proven && !beside && <path class="proven" d="M28 -36 l5 5 l9 -10" />}
    </g>
  );
}

/** What is known about the move of a square. */
export const Value = ({ look }: { look: Look }) => (
  <>
    <Known look={look} /><Searched look={look} />
    {look.mine && <text class="mine" x={look.x * 100 + 91} y={look.y * 100 + 94}>★</text>}
  </>
);

/** What the book says about the move of a square. It lies over the grid: for screen readers the square's label says it. */
function Known({ look: { x, y, name, move, loss } }: { look: Look }) {
  if (move?.score == null) return null;
  const bounded = move.lower != null && move.upper != null && move.lower !== move.upper;
  const leaf = move.kind === 'leaf';
  const text = signed(move.score);
  return (
    <g class={`value ${lossClass(loss)}`} data-value-of={name} transform={`translate(${x * 100 + 50} ${y * 100 + 50})`}>
      {loss === 0 && <circle class="ring" r="39" />}
      <text class={`score${bounded ? ' bounded' : ''}${leaf ? ' leaf' : ''}${text.length > 2 ? ' wide' : ''}`} y={bounded ? 4 : leaf ? 10 : 12}>{leaf ? `⟨${text}⟩` : text}</text>
      {bounded && <text class="bounds" y="24">{signed(move.lower)}…{signed(move.upper)}</text>}
      {move.level != null && !move.proven && <text class="level" x="-43" y="43">{move.level}</text>}
      {move.proven && <path class="proven" d="M28 -36 l5 5 l9 -10" />}
    </g>
  );
}

export function Square({ look, version }: { look: Look; version: number }) {
  const { x, y, sign, move } = look;
  const kind = sign === 'X' ? 'black' : 'white';
  return (
    <g role="gridcell" aria-label={look.label} data-square={look.name} tabindex={look.focusable ? 0 : -1}
      class={`square${look.legal ? ' legal' : ''}`} transform={`translate(${x * 100 + 50} ${y * 100 + 50})`}>
      <rect class="ground" x="-50" y="-50" width="100" height="100" />
      {look.better && <rect class="better" x="-45" y="-45" width="90" height="90" rx="6" />}
      {look.next && <rect class="next" x="-45" y="-45" width="90" height="90" rx="6" />}
      {sign !== '-' && (
        <g class={look.turning === null ? 'disc' : 'disc turning'} key={`${look.square}-${look.turning === null ? sign : version}`}
          style={look.turning === null ? {} : { animationDelay: `${look.turning}ms` }}>
          <circle class={kind} r="41" style={look.turning === null ? {} : { animationDelay: `${look.turning}ms` }} />
        </g>
      )}
      {sign !== '-' && look.preview && <circle class="preview" r="30" />}
      {look.last && <circle class="last" r="9" />}
      {sign === '-' && look.legal && move?.score == null && !look.other && <circle class="dot" r="7" />}
    </g>
  );
}
