// The repertoire: the moves that a person marked as a tree, and notes, to train, print and carry elsewhere.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Undo } from './undo';
import { message } from '../api/client';
import type { Mark } from '../api/types';
import { at, book, notice, page, ply, positionAt, showWritten } from '../state';
import { canMark, exported, imported, inBook, keep, LONGEST, note, played, repertoire, toggle, unreadable } from '../repertoire';
import { save } from '../share';
import { marked } from '../train/repertoire';

const run = (work: Promise<void>): void => { work.catch((error: unknown) => { notice.value = message(error); }); };

const SIDES = [['black', 'Black'], ['white', 'White']] as const;

/** The lines from a ply on: one row until they part, and rows below it for each branch. */
function Branches({ lines, from, own }: { lines: readonly (readonly string[])[]; from: number; own: ReadonlySet<string> }) {
  const next = [...new Set(lines.map((line) => line[from]))];
  return (
    <ul>{next.map((move) => {
      const through = lines.filter((line) => line[from] === move);
      const goesOn = (length: number): readonly (readonly string[])[] => through.filter((line) => line.length > length);
      let to = from + 1;
      while (new Set(goesOn(to).map((line) => line[to])).size === 1) to++;
      const longest = through.reduce((one, other) => (other.length > one.length ? other : one));
      return (
        <li key={move}>
          <span class="quiet number">{from + 1}.</span>{longest.slice(from, to).map((square, index) => {
            const line = longest.slice(0, from + index + 1).join('');
            return square === 'pa' ? <span class="quiet" key={line}>–</span>
              : <button type="button" key={line} class={`link moves-text${own.has(line) ? ' own' : ''}`} aria-current={line === at.value ? 'true' : undefined} onClick={() => showWritten(line)}>{square}</button>;
          })}
          {goesOn(to).length > 0 && <Branches lines={goesOn(to)} from={to} own={own} />}
        </li>
      );
    })}</ul>
  );
}

function Tree({ side, name }: { side: Mark['side']; name: string }) {
  const marks = repertoire.value.marks.filter((mark) => mark.side === side);
  if (marks.length === 0) return null;
  const train = async (): Promise<void> => {
    const questions = await marked(marks);
    const { ask } = await import('../pages/train');
    ask(questions, 'repertoire');
    page.value = 'train';
  };
  return (
    <section class="tree" aria-label={`${name}’s moves`}>
      <p class="buttons"><b>{name}</b><span class="quiet">{marks.length} {marks.length === 1 ? 'move' : 'moves'}</span>
        <button type="button" onClick={() => run(train())}>Train these</button></p>
      <Branches lines={marks.map(({ line }) => line).sort().map((line) => line.match(/../g) ?? [])} from={0} own={new Set(marks.map(({ line }) => line))} />
    </section>
  );
}

/** The note at a position of a book: kept when one leaves the field, or the position. */
function NoteField({ name, where }: { name: string; where: string }) {
  const known = note.value ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const unkept = useRef<string | null>(null);
  const write = async (text: string): Promise<void> => {
    const { key, line } = await positionAt(where, undefined, name);
    await keep({ marks: [], notes: [{ line, key, note: text }] }, [], name);
    if (unkept.current === null) setTyped(null);
  };
  const leave = (): void => {
    const text = unkept.current;
    unkept.current = null;
    if (text !== null) run(write(text));
  };
  useLayoutEffect(() => leave, []);
  const type = (text: string): void => {
    setTyped(text);
    unkept.current = text.trim() === known ? null : text.trim();
  };
  return (
    <div class="notefield">
      <label>Note at this position<textarea rows={2} maxLength={LONGEST} value={typed ?? known} onInput={(event) => type(event.currentTarget.value)} onChange={leave} /></label>
      {(typed ?? known).trim() !== known && <p class="quiet">Kept as soon as you leave the field.</p>}
    </div>
  );
}

function Files() {
  const file = useRef<HTMLInputElement>(null);
  const { marks, notes } = repertoire.value;
  const read = async (): Promise<void> => {
    const [chosen] = file.current!.files ?? [];
    if (!chosen) return;
    const found = chosen.size > 16 << 20 ? null : imported(await chosen.text());
    file.current!.value = '';
    if (!found) throw new Error(`${chosen.name} is not a file with a repertoire.`);
    await keep(found);
    notice.value = `${found.marks.length} marks and ${found.notes.length} notes read.`;
  };
  return (
    <p class="buttons deeds">
      {marks.length + notes.length > 0 && <>
        <button type="button" onClick={() => save(new Blob([exported()], { type: 'application/json' }), `repertoire-${book.value}.json`)}>Export</button>
        <button type="button" onClick={() => print()}>Print</button>
      </>}
      <label class="button">Import<input ref={file} type="file" accept=".json,application/json" class="unseen" onChange={() => run(read())} /></label>
    </p>
  );
}

export function RepertoirePanel() {
  const { marks, notes } = repertoire.value;
  return (
    <div class="repertoire">
      {unreadable.value && <p role="alert">{unreadable.value}</p>}
      {canMark.value && ply.value > 0 && (
        <p class="buttons deeds" title="Up to the position on the board">
          {SIDES.map(([side, name]) => <button type="button" key={side} onClick={() => run(played(side).then(toggle))}>Mark {name}’s moves of this line</button>)}
        </p>
      )}
      {marks.length === 0 && <p class="quiet">{canMark.value ? 'The stars in the table mark your moves; the key x marks the last one.' : 'A repertoire begins at the start position.'} {inBook.value ? 'Marks and notes are kept in the book.' : 'Marks and notes are kept in this browser.'}</p>}
      {SIDES.map(([side, name]) => <Tree key={side} side={side} name={name} />)}
      <NoteField key={`${book.value} ${at.value}`} name={book.value} where={at.value} />
      {notes.length > 0 && (
        <table class="notes">
          <thead><tr><th scope="col">Position</th><th scope="col">Note</th></tr></thead>
          <tbody>{notes.map(({ key, line, note: text }) => (
            <tr key={key}><td><button type="button" class="link moves-text" onClick={() => showWritten(line)}>{line || 'Start'}</button></td><td>{text}</td></tr>
          ))}</tbody>
        </table>
      )}
      <Files />
      {inBook.value && <Undo />}
    </div>
  );
}
