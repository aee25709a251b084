// Lines that were left for another move: a small tree, kept until another line is opened.

import { goTo, moves, root, shared, showLine, variations } from '../state';
import { squareName } from '../othello';

export function Variations() {
  const rows = variations.value.map((line) => ({ line, from: shared(line, moves.value) }))
    .filter(({ line, from }) => from < line.length).sort((a, b) => a.from - b.from);
  if (rows.length === 0) return null;
  return (
    <nav class="variations" aria-label="Variations">
      <h2>Variations</h2>
      <ul>{rows.map(({ line, from }) => (
        <li key={line.join()}>
          <button type="button" class="link moves-text" title={`Instead of move ${from + 1}`}
            onClick={() => { showLine(root.value, line); goTo(from + 1); }}>{from + 1}. {line.slice(from).map(squareName).join(' ')}</button>
        </li>
      ))}</ul>
    </nav>
  );
}
