import { createStore } from 'zustand/vanilla';
import type { CellAddress } from '../../../data/store/port.ts';
import type { Editor } from '../editor/editor.ts';
import { fieldId } from '../model/fields.ts';
import { single } from '../model/selection.ts';
import { createFindIndex, type Hit } from './find-index.ts';
import { CLOSED, type Finder, type FindState, whereOf } from './find-state.ts';
import { createSearching } from './searching.ts';
import { t } from '../../../text/t.ts';

function createFinder(editor: Editor): Finder {
  const store = createStore<FindState>(() => CLOSED);
  const index = createFindIndex(editor.session);
  const get = store.getState;
  const { begin, search, end } = createSearching(editor, store, index);
  const announce = (): void => {
    const words = foundWords(editor, get());
    if (words !== undefined) editor.announce(words);
  };
  const lead = (at: number): void => {
    const hit = get().hits[at];
    if (hit === undefined) return;
    const { cell, field } = placeOf(editor, hit);
    store.setState({ at, led: { ...cell, ofItem: hit.column < 0, field } });
    const focused = field === undefined ? cell : { ...cell, rule: field };
    editor.select(single(focused), { focus: finder.bar?.hasFocus() !== true });
    announce();
  };
  const finder: Finder = {
    store,
    index,
    bar: undefined,
    open: () => {
      if (!get().open) {
        begin();
        store.setState({ open: true, scope: 'all', at: -1 });
        search();
      }
      // A bar that was closed takes the cursor when it comes.
      finder.bar?.enter();
    },
    close: () => {
      end();
      store.setState({ open: false, hits: [], at: -1, hidden: 0, led: null });
      editor.focusGrid();
    },
    set: (change) => {
      store.setState(change);
      search();
      if (get().hits.length > 0) lead(firstFrom(editor, get()));
      else {
        store.setState({ led: null });
        announce();
      }
    },
    step: (backwards) => {
      if (!get().open) finder.open();
      const { hits, at, text } = get();
      if (text === '') finder.bar?.enter();
      else if (hits.length === 0) announce();
      else if (at < 0) lead(firstFrom(editor, get()));
      else lead((at + (backwards ? -1 : 1) + hits.length) % hits.length);
    },
  };
  return finder;
}

/** The cell that a hit leads to, and the field's column where that is shown. */
function placeOf(
  { session, store }: Editor,
  { row, column, key }: Hit,
): { cell: CellAddress; field: string | undefined } {
  const { view, selection } = store.getState();
  const item = session.items[row]?.item_uid ?? '';
  const rule =
    column >= 0 ? (session.rules[column] ?? '') : (selection?.focus.rule ?? view.ruleAt(0));
  const field = key === undefined ? undefined : fieldId(key);
  const isShown = field !== undefined && view.fieldOf(field) >= 0;
  return { cell: { item, rule }, field: isShown ? field : undefined };
}

/** The first hit at or after the focus. */
function firstFrom(editor: Editor, { hits }: FindState): number {
  const { view, selection } = editor.store.getState();
  const row = selection === null ? 0 : view.rowOf(selection.focus.item);
  const at = hits.findIndex((hit) => view.displayRow(hit.row) >= row);
  return at < 0 ? 0 : at;
}

function foundWords(editor: Editor, { text, hits, at, hidden }: FindState): string | undefined {
  if (text === '') return undefined;
  const hit = hits[at];
  if (hit !== undefined) {
    const values = { at: at + 1, hits: hits.length, hidden, where: whereOf(editor, hit) };
    return hidden === 0
      ? t('{at, number} of {hits, number}: {where}', values)
      : t(
          '{at, number} of {hits, number}, {hidden, number} more in hidden items or rules: {where}',
          values,
        );
  }
  if (hits.length === 0)
    return hidden === 0
      ? t('Nothing found in what is shown')
      : t('Nothing found in what is shown, {hidden, number} more in hidden items or rules', {
          hidden,
        });
  const places = hits.length;
  return hidden === 0
    ? t('{places, plural, one {# place} other {# places}} found', { places })
    : t(
        '{places, plural, one {# place} other {# places}} found, {hidden, number} more in hidden items or rules',
        { places, hidden },
      );
}

const finders = new WeakMap<Editor, Finder>();

export function finderOf(editor: Editor): Finder {
  let finder = finders.get(editor);
  if (finder === undefined) finders.set(editor, (finder = createFinder(editor)));
  return finder;
}
