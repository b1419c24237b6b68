import type { StoreApi } from 'zustand/vanilla';
import type { Editor } from '../editor/editor.ts';
import { isAmong, type SelectedCells, selectedCells } from '../model/selected-cells.ts';
import type { FindIndex, Hit } from './find-index.ts';
import type { FindState } from './find-state.ts';

/** A pause after changes before the search is made again, in milliseconds. */
const PAUSE = 150;

/** What is found, kept up with the matrix while the bar is open. */
export interface Searching {
  /** Begins at the selection, which is what "selected cells" and "this rule" mean until the end. */
  begin(): void;
  /** Finds again, and stays at the present hit if it is still one. */
  search(): void;
  end(): void;
}

export function createSearching(
  editor: Editor,
  store: StoreApi<FindState>,
  index: FindIndex,
): Searching {
  let selected: SelectedCells | undefined;
  let rule = '';
  let stop: (() => void) | undefined;
  const inScope = (row: number, column: number): boolean => {
    const { scope } = store.getState();
    if (scope === 'all') return true;
    if (column < 0) return false;
    const { view } = editor.store.getState();
    const cell = { item: view.itemAt(row), rule: view.ruleAt(column) };
    if (scope === 'rule') return cell.rule === rule;
    return selected !== undefined && isAmong(selected, cell);
  };
  const search = (): void => {
    const { text, matchCase, scope, led } = store.getState();
    const { view } = editor.store.getState();
    const { items, rules } = editor.session;
    const shown: (Hit & { place: number })[] = [];
    let hidden = 0;
    for (const hit of index.find({ text, matchCase })) {
      const row = view.displayRow(hit.row);
      const column = hit.column < 0 ? -1 : view.displayColumn(hit.column);
      if (row < 0 || (hit.column >= 0 && column < 0)) hidden += scope === 'all' ? 1 : 0;
      else if (inScope(row, column))
        shown.push({ ...hit, place: row * (view.columnCount + 1) + column + 1 });
    }
    shown.sort((left, right) => left.place - right.place);
    store.setState({
      hits: shown,
      hidden,
      at: shown.findIndex(
        ({ row, column }) =>
          items[row]?.item_uid === led?.item &&
          (led?.ofItem === true ? column < 0 : rules[column] === led?.rule),
      ),
    });
  };
  return {
    search,
    begin: () => {
      const { selection, view } = editor.store.getState();
      selected = selectedCells({ selection, view });
      rule = selection?.focus.rule ?? view.ruleAt(0);
      index.forget();
      stop = followChanges(editor, index, search);
    },
    end: () => {
      stop?.();
      stop = undefined;
      index.forget();
    },
  };
}

/** At once where rows or columns change; after a pause where texts do. */
function followChanges(editor: Editor, index: FindIndex, search: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let { view } = editor.store.getState();
  const stops = [
    editor.store.subscribe((state) => {
      if (state.view === view) return;
      view = state.view;
      search();
    }),
    editor.session.subscribe((touched) => {
      if (touched === null) index.forget();
      else index.forget(touched.map((cell) => cell.row));
      clearTimeout(timer);
      timer = setTimeout(search, PAUSE);
    }),
    () => clearTimeout(timer),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
