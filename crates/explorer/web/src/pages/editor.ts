// The SQL editor. It lives in a shadow root, because there its styles come from style sheets that the
// content policy allows, and not from a <style> element.

import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql, SQLite } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Schema } from '../api/types';

export interface Editor {
  text(): string;
  set(text: string): void;
  complete(schema: Schema): void;
  /** Marks the place of an error; null removes the mark. */
  mark(offset: number | null): void;
  destroy(): void;
}

const setMark = StateEffect.define<number | null>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(known, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      if (effect.value === null) return Decoration.none;
      const from = Math.min(effect.value, transaction.state.doc.length);
      const word = transaction.state.wordAt(from);
      const to = Math.min(Math.max(word?.to ?? from + 1, from + 1), transaction.state.doc.length);
      return from < to ? Decoration.set([Decoration.mark({ class: 'error', attributes: { 'aria-invalid': 'true' } }).range(from, to)]) : Decoration.none;
    }
    return transaction.docChanged ? Decoration.none : known;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Replaces selected text itself: Chromium would keep its colours in a style attribute, which the policy forbids. */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

const theme = EditorView.theme({
  '&': { fontSize: '14px', backgroundColor: 'var(--surface)', color: 'var(--text)', borderRadius: 'var(--radius)', border: '1px solid var(--rule)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--mono)', padding: '14px 12px', minHeight: '132px', caretColor: 'var(--text)' },
  '.cm-scroller': { lineHeight: '1.6', maxHeight: '50vh', overflow: 'auto' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--selected)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.error': { textDecoration: 'underline wavy var(--far-text)', textUnderlineOffset: '4px' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--rule)', color: 'var(--text)', borderRadius: '8px', overflow: 'hidden' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-placeholder': { color: 'var(--quiet)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--far-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--near-text)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--quiet)', fontStyle: 'italic' },
]);

export function createEditor(host: HTMLElement, text: string, run: () => void): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run: () => (run(), true) }, { key: 'Shift-Enter', run: () => (run(), true) }]),
        history(), drawSelection(), bracketMatching(), closeBrackets(), autocompletion(), marks, theme,
        language.of(sql({ dialect: SQLite, upperCaseKeywords: true })),
        syntaxHighlighting(colours),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        placeholder('SELECT …'),
        EditorView.lineWrapping,
        replaceSelection,
        EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false', autocapitalize: 'off' }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    complete({ tables, functions }) {
      const schema = {
        ...Object.fromEntries(tables.map(({ name, columns }) => [name, columns])),
        ...Object.fromEntries(functions.map((name) => [name, { self: { label: name, type: 'function', apply: `${name}(` }, children: [] }])),
      };
      view.dispatch({ effects: language.reconfigure(sql({ dialect: SQLite, upperCaseKeywords: true, schema })) });
    },
    mark(offset) {
      view.dispatch({ effects: setMark.of(offset), ...(offset === null ? {} : { selection: { anchor: Math.min(offset, view.state.doc.length) } }) });
      if (offset !== null) view.focus();
    },
    destroy: () => view.destroy(),
  };
}
