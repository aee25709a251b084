// The sheets over the page: keys, input, openings, share.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { address, getJson, message } from './api/client';
import type { Openings } from './api/types';
import { KEYS } from './keys';
import { useJson } from './panels/load';
import { open, read } from './read';
import { shareLink } from './route';
import { boardPng, boardSvg, copy, save } from './share';
import { book, here, notice, sheet, showValues, showWritten, signed, transcript, type Sheet } from './state';

function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="sheet-title" onClose={() => { sheet.value = null; }}
      onClick={(event) => { if (event.target === dialog.current) dialog.current!.close(); }}>
      <div class="sheet">
        <header><h2 id="sheet-title">{title}</h2><button type="button" class="quietbutton" aria-label="Close" onClick={() => dialog.current!.close()}>✕</button></header>
        {children}
      </div>
    </dialog>
  );
}

function Keys() {
  return (
    <Dialog title="Keys">
      <div class="keysheet">
        {(['Move', 'Look', 'Enter'] as const).map((group) => (
          <table key={group}>
            <caption>{group}</caption>
            <tbody>{KEYS.filter((key) => key.group === group).map(({ shown, does }) => (
              <tr key={shown}><th scope="row"><kbd>{shown}</kbd></th><td>{does}</td></tr>
            ))}</tbody>
          </table>
        ))}
      </div>
      <p class="quiet">On the board: click or tap to play, turn the wheel or swipe to step, right-click to take back. With the
        focus on the board the arrow keys walk over its squares, and Enter plays. Paste or drop {SITE ? 'moves and boards' : 'moves, games, boards, keys and files'} anywhere.</p>
      <p class="quiet"><a href="LICENSES.txt" target="_blank" rel="noreferrer">Licences</a> of the software in this page</p>
    </Dialog>
  );
}

const problem = signal<string | null>(null);

function Input() {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => { problem.value = null; field.current?.focus(); }, []);
  const submit = async (): Promise<void> => {
    problem.value = await read(field.current!.value);
    if (problem.value === null) sheet.value = null;
  };
  return (
    <Dialog title="Open">
      <form onSubmit={(event) => { event.preventDefault(); void submit(); }}>
        <label>{SITE ? 'Moves, a board or an opening' : 'Moves, a game, a link, a board, a key or an opening'}
          <textarea ref={field} rows={3} spellcheck={false} placeholder="f5d6c3d3c4 or tiger"
            onKeyDown={(event) => { if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); void submit(); } }} />
        </label>
        {problem.value && <p role="alert">{problem.value}</p>}
        <p class="buttons">{!SITE && <OpenFile />}<span class="space" /><button type="submit" class="primary">Show</button></p>
      </form>
    </Dialog>
  );
}

/** A book or games from the disk, with the lists of names of a WTHOR file. */
function OpenFile() {
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const take = async (): Promise<void> => {
    setBusy(true);
    problem.value = await open([...(field.current!.files ?? [])]);
    if (problem.value === null) sheet.value = null;
    setBusy(false);
  };
  return <label class="button">{busy ? 'Reading …' : 'Open a file'}<input ref={field} type="file" multiple class="unseen" aria-disabled={busy} onChange={() => void take()} /></label>;
}

const search = signal('');
const openingsWith = (part: string): string => address(book.value, 'openings', { search: part });

function Names() {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const { data, error } = useJson<Openings>(openingsWith(search.value));
  const [problem, setProblem] = useState<string | null>(null);
  const found = data?.openings ?? [];
  const show = (line: string): void => { sheet.value = null; showWritten(line); };
  // The rows may still be those of an earlier text.
  const showFirst = async (): Promise<void> => {
    const asked = search.value;
    try {
      const [first] = (await getJson<Openings>(openingsWith(asked))).openings;
      if (first && search.value === asked && field.current) show(first.line);
    } catch (wrong) {
      setProblem(message(wrong));
    }
  };
  return (
    <Dialog title="Openings">
      <form onSubmit={(event) => { event.preventDefault(); void showFirst(); }}>
        <label>Part of a name, in English or Japanese
          <input ref={field} type="search" value={search.value} onInput={(event) => { search.value = event.currentTarget.value; }} />
        </label>
      </form>
      {(error ?? problem) && <p role="alert">{error ?? problem}</p>}
      <ul class="openings">{found.map(({ name, japanese, line, value }) => (
        <li key={line}><button type="button" onClick={() => show(line)}>
          <span><b>{name}</b> {japanese && japanese !== name && <span class="quiet" lang="ja">{japanese}</span>}</span>
          <span class="quiet moves-text">{line}</span><span class="number">{showValues.value && signed(value)}</span>
        </button></li>
      ))}</ul>
      {data && found.length === 0 && <p class="quiet">No opening has this in its name.</p>}
    </Dialog>
  );
}

function Share() {
  const png = async (): Promise<void> => {
    try {
      await copy(new ClipboardItem({ 'image/png': boardPng() }), 'Picture');
    } catch (error) {
      notice.value = message(error);
    }
  };
  const rows: readonly (readonly [string, string])[] = [['Link', shareLink()], ['Moves', transcript()], ['Board', `${here.value.board} ${here.value.turn}`]];
  return (
    <Dialog title="Share">
      {rows.filter(([, text]) => text !== '').map(([name, text]) => (
        <label key={name} class="share">{name}
          <span><input readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
            <button type="button" aria-label={`Copy: ${name}`} onClick={() => void copy(text, name)}>Copy</button></span>
        </label>
      ))}
      <h3>Picture</h3>
      <p class="buttons">
        <button type="button" onClick={() => void png()}>Copy PNG</button>
        <button type="button" onClick={() => void boardPng().then((blob) => save(blob, 'board.png'))}>Save PNG</button>
        <button type="button" onClick={() => void copy(boardSvg(), 'SVG')}>Copy SVG</button>
        <button type="button" onClick={() => save(new Blob([boardSvg()], { type: 'image/svg+xml' }), 'board.svg')}>Save SVG</button>
      </p>
    </Dialog>
  );
}

const SHEETS: Record<NonNullable<Sheet>, () => preact.JSX.Element> = { keys: Keys, input: Input, openings: Names, share: Share };

export function Sheets() {
  if (sheet.value === null) return null;
  const Shown = SHEETS[sheet.value];
  return <Shown key={sheet.value} />;
}
