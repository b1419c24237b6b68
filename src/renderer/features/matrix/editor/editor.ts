import { ruleName } from '../model/names.ts';
import type { CellAddress, MatrixSession } from '../../../data/store/port.ts';
import {
  createEditorStore,
  type EditorState,
  type EditorStore,
  type GridPort,
} from './editor-state.ts';
import { type Arrangement, PLAIN } from '../model/arrangement.ts';
import { createDisplay } from '../model/display.ts';
import type { Filter } from '../model/filter.ts';
import { type Sort, sortWords } from '../model/sort.ts';
import {
  type Field,
  type Motion,
  move,
  nextOf,
  nextUnrecorded,
  type Position,
} from '../model/motion.ts';
import { withReasons } from './reason.ts';
import { createRecording, type Recording } from './recording.ts';
import { loadPreferences, type Preferences, savePreferences } from '../model/preferences.ts';
import {
  allOf,
  carryOver,
  cornerOf,
  extendTo,
  rectsOf,
  sameSelection,
  type Selection,
  single,
  sizeOfAll,
  sizeWords,
} from '../model/selection.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { loadPlace, rememberPlace } from './place.ts';
import type { View } from '../model/view.ts';
import type { CellState } from '../../../../shared/domain/outcome.ts';

/** What the editor asks of the place that it stands in: files are read and written outside it. */
export type FileRequest =
  | { do: 'import'; file?: File }
  | { do: 'history' }
  | { do: 'export'; shown: { rows: readonly number[]; columns: readonly number[] } | undefined };

/** Parts of the panel that commands lead to. */
export type PanelField = 'source' | 'notes' | 'history';

export interface Editor {
  readonly session: MatrixSession;
  readonly store: EditorStore;
  /** Tells the day of what is read from the clipboard. */
  readonly clock: { now(): number } | undefined;
  /** Follows the session; returns how to stop. */
  connect(): () => void;
  attach(grid: GridPort): () => void;
  /** `reveal` scrolls to the focus, or to the cell given. */
  select(
    selection: Selection | null,
    how?: { reveal?: boolean | CellAddress; focus?: boolean },
  ): void;
  /** False where the motion leads out of the matrix. */
  move(motion: Motion, extend: boolean): boolean;
  moveToUnrecorded(backwards: boolean): void;
  moveToContested(backwards: boolean): void;
  selectAll(): void;
  collapse(): void;
  /** Sets every selected cell, then advances if the user wants that. */
  record(state: CellState): Promise<void>;
  /** Outcome to unrecorded; `everything` clears source value, notes and provenance too. */
  clear(everything: boolean): Promise<void>;
  write: Recording['write'];
  apply: Recording['apply'];
  replace: Recording['replace'];
  settle: Recording['settle'];
  undo(): Promise<void>;
  redo(): Promise<void>;
  /**
   * Shows other items, in another order, or other columns. Rows stand still as long as only columns
   * change.
   */
  arrange(change: Partial<Arrangement>): void;
  setFilter(filter: Filter): void;
  setSort(sort: Sort): void;
  /** Filters and sorts anew what has been worked on since. */
  applyAgain(): void;
  prefer(change: Partial<Preferences>): void;
  /** Narrow columns or wide ones; `byUser` remembers it. */
  setCompact(compact: boolean, byUser: boolean): void;
  openPanel(field?: PanelField): void;
  focusGrid(): void;
  /** Opens the menu of what has the focus in the grid; false where that has none. */
  openMenu(): boolean;
  goToPage(page: number): void;
  columnWidth(rule: string): number | undefined;
  nextArea(backwards: boolean): void;
  show(dialog: EditorState['dialog']): void;
  announce(text: string): void;
  dismissNotice(): void;
  run(): void;
  /** Leads to a part of the panel, for the focused cell. Set by the panel. */
  onOpenField: ((field: PanelField) => void) | undefined;
  /** Moves the focus between filter, matrix and panel. Set by the component that holds them. */
  onNextArea: ((backwards: boolean) => void) | undefined;
  /** Reads or writes a file. Set by the component, where there is a place for it. */
  onFiles: ((request: FileRequest) => void) | undefined;
}

/**
 * In a small window, or one that is zoomed in, the matrix has the room until the panel is asked
 * for.
 */
const fitted = (preferences: Preferences): Preferences =>
  globalThis.innerWidth < 760 ? { ...preferences, panelOpen: false } : preferences;

export function createEditor(
  given: MatrixSession,
  run: () => void,
  clock?: { now(): number },
): Editor {
  // One question at a time: each gesture has a reason of its own.
  const questions: (() => void)[] = [];
  let asked = 0;
  const ask = (changes: number): Promise<string | null> =>
    new Promise((resolve) => {
      const answer = (reason: string | null): void => {
        resolve(reason);
        questions.shift();
        questions[0]?.();
      };
      questions.push(() => store.setState({ reason: { id: (asked += 1), changes, answer } }));
      if (questions.length === 1) questions[0]?.();
    });
  const session = withReasons(given, () => store.getState().preferences.askReason, ask);
  const display = createDisplay(session);
  const place = loadPlace(session);
  const start = place?.arrangement ?? PLAIN;
  const store = createEditorStore(display.apply(start), fitted(loadPreferences()));
  const { view: first } = store.getState();
  if (place !== undefined)
    store.setState({
      ...start,
      scroll: place.scroll,
      selection:
        place.cell !== null &&
        first.rowOf(place.cell.item) >= 0 &&
        first.columnOf(place.cell.rule) >= 0
          ? single(place.cell)
          : null,
    });
  let grid: GridPort | undefined;
  let items = session.items;
  const get = store.getState;

  const announce = (text: string): void => store.setState({ announcement: { text } });
  const field = (): Field => {
    const { view } = get();
    return {
      rows: view.rowCount,
      columns: view.columnCount,
      page: grid?.pageRows() ?? 20,
      recorded: (row, column) =>
        session.state(view.storeRow(row), view.storeColumn(column)) !== null,
    };
  };
  const positionOf = (cell: CellAddress | null): Position | null => {
    if (cell === null) return null;
    const { view } = get();
    const at = { row: view.rowOf(cell.item), column: view.columnOf(cell.rule) };
    return at.row < 0 || at.column < 0 ? null : at;
  };
  const here = (): Position | null => positionOf(get().selection?.focus ?? null);
  const cellAt = ({ row, column }: Position): CellAddress => ({
    item: get().view.itemAt(row),
    rule: get().view.ruleAt(column),
  });

  const select: Editor['select'] = (selection, { reveal = true, focus = true } = {}) => {
    // Before anything is drawn: the grid looks where it stands, and the browser would first have to
    // lay out what was drawn.
    if (selection !== null && reveal !== false)
      grid?.reveal(reveal === true ? selection.focus : reveal);
    if (!sameSelection(selection, get().selection)) {
      store.setState({ selection });
      grid?.paint();
      const size = sizeWords(rectsOf(selection, get().view));
      if (size !== undefined) store.setState({ announcement: { text: size, passing: true } });
    }
    if (selection !== null && focus) grid?.focus(selection.focus);
  };

  const show = (view: View, draw: 'setRows' | 'setColumns'): void => {
    const { view: before, selection } = get();
    store.setState({ view, selection: carryOver(selection, before, view) });
    grid?.[draw]();
    grid?.paint();
  };
  const applyAgain = (): void => {
    store.setState({ stale: false });
    show(display.apply(get()), 'setRows');
  };

  const onTouched = (touched: readonly { row: number; column: number }[] | null): void => {
    if (session.items !== items) {
      items = session.items;
      show(display.follow(get(), get().view), 'setRows');
    } else grid?.paint();
    const { stale, view } = get();
    if (!stale && display.isStale(get(), view, touched)) store.setState({ stale: true });
  };

  const advance = (): void => {
    const { selection, view, preferences } = get();
    if (preferences.advance === 'off' || sizeOfAll(rectsOf(selection, view)) !== 1) return;
    const at = here();
    const to = at === null ? null : move(preferences.advance, at, field());
    if (to !== null) select(single(cellAt(to)));
  };

  const recording = createRecording({
    session,
    store,
    announce,
    goTo: (cell) => select(single(cell), { focus: grid?.hasFocus() === true }),
    reveal: (cell) => grid?.reveal(cell),
  });

  const editor: Editor = {
    session,
    store,
    clock,
    connect: () => {
      const stop = [session.subscribe(onTouched), rememberPlace(session, store)];
      return () => {
        for (const end of stop) end();
      };
    },
    attach: (port) => {
      grid = port;
      return () => {
        if (grid === port) grid = undefined;
      };
    },
    select,
    move: (motion, extend) => {
      const { view, selection } = get();
      const at = positionOf(
        selection === null ? null : extend ? cornerOf(selection) : selection.focus,
      );
      if (at === null || selection === null) {
        if (view.rowCount === 0) return false;
        select(single(cellAt({ row: 0, column: 0 })));
        return true;
      }
      const to = move(motion, at, field());
      if (to === null) return extend;
      select(extend ? extendTo(selection, cellAt(to), view) : single(cellAt(to)), {
        reveal: cellAt(to),
      });
      return true;
    },
    moveToUnrecorded: (backwards) => {
      const at = here() ?? { row: 0, column: 0 };
      const { view } = get();
      const to =
        view.rowCount === 0
          ? null
          : nextUnrecorded(
              at,
              backwards,
              field(),
              (row) => session.rowCounts(view.storeRow(row))[3],
            );
      if (to === null) announce('No unrecorded cell in the items shown');
      else select(single(cellAt(to)));
    },
    moveToContested: (backwards) => {
      const { view } = get();
      const places: Position[] = [];
      session.eachContested((row, column) => {
        const place = { row: view.displayRow(row), column: view.displayColumn(column) };
        if (place.row >= 0 && place.column >= 0) places.push(place);
      });
      const to = nextOf(places, here(), backwards);
      if (to === null) announce('No conflict in the items shown');
      else select(single(cellAt(to)));
    },
    selectAll: () => {
      const { selection, view } = get();
      if (view.rowCount > 0) select(allOf(view, selection?.focus), { reveal: false });
    },
    collapse: () => {
      const { selection } = get();
      if (selection !== null) select(single(selection.focus));
    },
    record: async (state) => {
      const done = recording.record(state);
      advance();
      await done;
    },
    clear: recording.clear,
    write: recording.write,
    apply: recording.apply,
    replace: recording.replace,
    settle: recording.settle,
    undo: () => recording.retrace('undo'),
    redo: () => recording.retrace('redo'),
    arrange: (change) => {
      store.setState(change);
      if (change.filter === undefined && change.sort === undefined)
        show(display.layOut(get(), get().view), 'setColumns');
      else {
        applyAgain();
        if (change.columns !== undefined) grid?.setColumns();
      }
    },
    setFilter: (filter) => {
      editor.arrange({ filter });
      announce(
        `${plural(get().view.rowCount, 'item')} of ${formatCount(session.items.length)} shown`,
      );
    },
    setSort: (sort) => {
      editor.arrange({ sort });
      announce(`Items sorted: ${sortWords(sort, (rule) => ruleName(session, rule))}`);
    },
    applyAgain,
    prefer: (change) => {
      const preferences = { ...get().preferences, ...change };
      store.setState({ preferences });
      savePreferences(preferences);
    },
    setCompact: (compact, byUser) => {
      store.setState({ compact });
      if (byUser) editor.prefer({ compact });
    },
    openPanel: (field) => {
      if (!get().preferences.panelOpen) editor.prefer({ panelOpen: true });
      if (field === undefined) return;
      // A panel that was closed is there in the next frame.
      if (editor.onOpenField === undefined)
        requestAnimationFrame(() => editor.onOpenField?.(field));
      else editor.onOpenField(field);
    },
    focusGrid: () => {
      const { selection, view } = get();
      if (selection !== null) select(selection);
      else if (view.rowCount > 0) select(single(cellAt({ row: 0, column: 0 })));
    },
    openMenu: () => {
      if (grid?.hasFocus() === false) editor.focusGrid();
      return grid?.openMenu() ?? false;
    },
    goToPage: (page) => grid?.goToPage(page),
    columnWidth: (rule) => grid?.columnWidth(rule),
    show: (dialog) => store.setState({ dialog }),
    announce,
    dismissNotice: () => store.setState({ notice: null }),
    run,
    nextArea: (backwards) => editor.onNextArea?.(backwards),
    onOpenField: undefined,
    onNextArea: undefined,
    onFiles: undefined,
  };
  return editor;
}
