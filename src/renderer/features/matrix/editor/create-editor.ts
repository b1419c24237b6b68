import type { MatrixSession } from '../../../data/store/port.ts';
import { PLAIN } from '../model/arrangement.ts';
import { createDisplay, type Display } from '../model/display.ts';
import { loadPreferences, savePreferences } from '../model/preferences.ts';
import { single } from '../model/selection.ts';
import { createArranging } from './arranging.ts';
import { createCursor, type GridHolder } from './cursor.ts';
import type { Editor, PanelField } from './editor.ts';
import { createEditorStore, type EditorStore } from './editor-state.ts';
import { createMoves } from './moves.ts';
import { followNews } from './news.ts';
import { loadPlace, rememberPlace } from './place.ts';
import { createReasonQueue, withReasons } from './reason.ts';
import { createRecording } from './create-recording.ts';
import { fitted } from './small-window.ts';

/** As the person left it: arrangement, scroll position and focused cell. */
function openStore(session: MatrixSession, display: Display): EditorStore {
  const place = loadPlace(session);
  const start = place?.arrangement ?? PLAIN;
  const store = createEditorStore(display.apply(start), fitted(loadPreferences()));
  const { view } = store.getState();
  if (place === undefined) return store;
  const { cell, scroll } = place;
  const isShown = cell !== null && view.rowOf(cell.item) >= 0 && view.columnOf(cell.rule) >= 0;
  store.setState({ ...start, scroll, selection: isShown ? single(cell) : null });
  return store;
}

/** Follows the session; returns how to stop. */
function connect(
  session: MatrixSession,
  store: EditorStore,
  onTouched: Parameters<MatrixSession['subscribe']>[0],
): () => void {
  const stop = [
    session.subscribe(onTouched),
    followNews(session, store),
    rememberPlace(session, store),
  ];
  return () => {
    for (const end of stop) end();
  };
}

export function createEditor(
  given: MatrixSession,
  run: () => void,
  clock?: { now(): number },
): Editor {
  const session = withReasons(
    given,
    () => store.getState().preferences.askReason,
    createReasonQueue((reason) => store.setState({ reason })),
  );
  const display = createDisplay(session);
  const store = openStore(session, display);
  const grid: GridHolder = { port: undefined };
  const announce = (text: string): void => store.setState({ announcement: { text } });
  const parts = { session, store, grid, announce };
  const cursor = createCursor(parts);
  const { advance, ...moves } = createMoves(parts, cursor);
  const { onTouched, ...arranging } = createArranging(parts, display);
  const { record, retrace, ...recording } = createRecording({
    session,
    store,
    announce,
    goTo: (cell) => cursor.select(single(cell), { focus: grid.port?.hasFocus() === true }),
    reveal: (cell) => grid.port?.reveal(cell),
    watchFocus: () => watchFocus(grid),
  });
  const editor: Editor = {
    session,
    store,
    clock,
    connect: () => connect(session, store, onTouched),
    select: cursor.select,
    ...moves,
    ...arranging,
    ...recording,
    record: async (state) => {
      const done = record(state);
      advance();
      return done;
    },
    undo: () => retrace('undo'),
    redo: () => retrace('redo'),
    ...createGridCommands(grid, moves.focusGrid),
    ...createPreferring(store),
    openPanel: (field) => openPanel(editor, field),
    show: (dialog) => store.setState({ dialog }),
    announce,
    dismissNotice: () => store.setState({ notice: null }),
    run,
    nextArea: (backwards) => editor.onNextArea?.(backwards),
    onOpenField: undefined,
    wantedField: undefined,
    onNextArea: undefined,
    onFiles: undefined,
    rounds: undefined,
  };
  return editor;
}

function openPanel(editor: Editor, field: PanelField | undefined): void {
  if (editor.store.getState().preferences.panelOpen) {
    if (field !== undefined) editor.onOpenField?.(field);
    return;
  }
  editor.wantedField = field;
  editor.prefer({ panelOpen: true });
}

/** Without a grid on screen there is no focus to leave it. */
const watchFocus = ({ port }: GridHolder): (() => boolean) => port?.watchFocus() ?? (() => false);

/** What is done by the grid on screen. */
function createGridCommands(
  grid: GridHolder,
  focusGrid: () => void,
): Pick<Editor, 'attach' | 'watchFocus' | 'openMenu' | 'goToPage' | 'columnWidth' | 'editField'> {
  return {
    attach: (port) => {
      grid.port = port;
      return () => {
        if (grid.port === port) grid.port = undefined;
      };
    },
    watchFocus: () => watchFocus(grid),
    openMenu: () => {
      if (grid.port?.hasFocus() === false) focusGrid();
      return grid.port?.openMenu() ?? false;
    },
    goToPage: (page) => grid.port?.goToPage(page),
    columnWidth: (rule) => grid.port?.columnWidth(rule),
    editField: () => {
      if (grid.port?.hasFocus() === false) focusGrid();
      return grid.port?.editField() ?? false;
    },
  };
}

/** What is remembered on this computer, and the panel that comes and goes by it. */
function createPreferring(store: EditorStore): Pick<Editor, 'prefer' | 'setCompact'> {
  const prefer: Editor['prefer'] = (change) => {
    const preferences = { ...store.getState().preferences, ...change };
    store.setState({ preferences });
    savePreferences(preferences);
  };
  return {
    prefer,
    setCompact: (compact, byUser) => {
      store.setState({ compact });
      if (byUser) prefer({ compact });
    },
  };
}
