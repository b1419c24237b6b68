import { itemName } from '../model/names.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { formatCount, plural } from '../../../state/format.ts';
import type { Editor } from '../editor/editor.ts';
import { type Rect, rectsOf, single } from '../model/selection.ts';
import { createFindIndex, type FindIndex, type Hit } from './find-index.ts';

export const SCOPES = ['all', 'selection', 'rule'] as const;
export type Scope = (typeof SCOPES)[number];

export interface FindState {
  open: boolean;
  text: string;
  matchCase: boolean;
  scope: Scope;
  /** Those in the items and rules shown, in display order. */
  hits: readonly Hit[];
  /** The one that the focus was led to; -1 before the first. */
  at: number;
  /** How many more there are in items or rules that are not shown. */
  hidden: number;
  /** A new object with every step, for the flash. */
  led: { item: string; rule: string; ofItem: boolean } | null;
}

/** Finding in one editor. */
export interface Finder {
  readonly store: StoreApi<FindState>;
  readonly index: FindIndex;
  /** Opens the bar, or calls it again. */
  open(): void;
  close(): void;
  set(change: Partial<Pick<FindState, 'text' | 'matchCase' | 'scope'>>): void;
  step(backwards: boolean): void;
  /** Set by the bar while it is on screen. */
  bar: { enter(): void; hasFocus(): boolean } | undefined;
}

const CLOSED: FindState = {
  open: false,
  text: '',
  matchCase: false,
  scope: 'all',
  hits: [],
  at: -1,
  hidden: 0,
  led: null,
};

function createFinder(editor: Editor): Finder {
  const { session } = editor;
  const store = createStore<FindState>(() => CLOSED);
  const index = createFindIndex(session);
  const get = store.getState;
  /** Where the search was opened: what "selected cells" and "this rule" mean until it is closed. */
  let rects: readonly Rect[] = [];
  let rule = '';
  let stop: (() => void) | undefined;

  const inScope = (row: number, column: number): boolean => {
    const { scope } = get();
    if (scope === 'all') return true;
    if (column < 0) return false;
    if (scope === 'rule') return editor.store.getState().view.ruleAt(column) === rule;
    return rects.some(
      (rect) =>
        row >= rect.top && row <= rect.bottom && column >= rect.left && column <= rect.right,
    );
  };

  /** Finds anew, and stays at the hit where the search is if it is still one. */
  const search = (): void => {
    const { text, matchCase, scope, hits: before, at } = get();
    const { view } = editor.store.getState();
    const here = before[at];
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
      at:
        here === undefined
          ? -1
          : shown.findIndex((hit) => hit.row === here.row && hit.column === here.column),
    });
  };

  const tell = (): void => {
    const { text, hits, at, hidden } = get();
    if (text === '') return;
    const more = hidden === 0 ? '' : `, ${formatCount(hidden)} more in hidden items or rules`;
    const hit = hits[at];
    if (hit === undefined)
      editor.announce(
        hits.length === 0
          ? `Nothing found in what is shown${more}`
          : `${plural(hits.length, 'place')} found${more}`,
      );
    else
      editor.announce(
        `${formatCount(at + 1)} of ${formatCount(hits.length)}${more}: ${whereOf(editor, hit)}`,
      );
  };

  const lead = (at: number): void => {
    const hit = get().hits[at];
    if (hit === undefined) return;
    const { view, selection } = editor.store.getState();
    const item = session.items[hit.row]?.item_uid ?? '';
    const found =
      hit.column >= 0
        ? (session.rules[hit.column] ?? '')
        : (selection?.focus.rule ?? view.ruleAt(0));
    store.setState({ at, led: { item, rule: found, ofItem: hit.column < 0 } });
    editor.select(single({ item, rule: found }), { focus: finder.bar?.hasFocus() !== true });
    tell();
  };

  /** The first hit at or after the focus. */
  const first = (): number => {
    const { hits } = get();
    const { view, selection } = editor.store.getState();
    const row = selection === null ? 0 : view.rowOf(selection.focus.item);
    const at = hits.findIndex((hit) => view.displayRow(hit.row) >= row);
    return at < 0 ? 0 : at;
  };

  const follow = (): (() => void) => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 150);
    };
    let { view } = editor.store.getState();
    const stops = [
      editor.store.subscribe((state) => {
        if (state.view === view) return;
        view = state.view;
        search();
      }),
      session.subscribe((touched) => {
        if (touched === null) index.forget();
        else index.forget(touched.map((cell) => cell.row));
        later();
      }),
      () => clearTimeout(waiting),
    ];
    return () => {
      for (const end of stops) end();
    };
  };

  const finder: Finder = {
    store,
    index,
    bar: undefined,
    open: () => {
      if (!get().open) {
        const { selection, view } = editor.store.getState();
        rects = rectsOf(selection, view);
        rule = selection?.focus.rule ?? view.ruleAt(0);
        index.forget();
        stop = follow();
        store.setState({ open: true, scope: 'all', at: -1 });
        search();
      }
      // A bar that was closed takes the cursor when it comes.
      finder.bar?.enter();
    },
    close: () => {
      stop?.();
      stop = undefined;
      index.forget();
      store.setState({ open: false, hits: [], at: -1, hidden: 0, led: null });
      editor.focusGrid();
    },
    set: (change) => {
      store.setState(change);
      search();
      if (get().hits.length > 0) lead(first());
      else {
        store.setState({ led: null });
        tell();
      }
    },
    step: (backwards) => {
      if (!get().open) finder.open();
      const { hits, at, text } = get();
      if (text === '') finder.bar?.enter();
      else if (hits.length === 0) tell();
      else lead(at < 0 ? first() : (at + (backwards ? -1 : 1) + hits.length) % hits.length);
    },
  };
  return finder;
}

/** Which item, rule and text a hit is in. */
export function whereOf({ session }: Editor, hit: Hit): string {
  const item = itemName(session, session.items[hit.row]?.item_uid ?? '');
  const rule = session.profile.rules.find(
    ({ ruleUid }) => ruleUid === session.rules[hit.column],
  )?.name;
  return rule === undefined ? `${item}, ${hit.in}` : `${item}, ${rule}, ${hit.in}`;
}

const finders = new WeakMap<Editor, Finder>();

export function finderOf(editor: Editor): Finder {
  let finder = finders.get(editor);
  if (finder === undefined) finders.set(editor, (finder = createFinder(editor)));
  return finder;
}
