import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CellAddress } from '../../data/port.ts';
import type { PastePlan } from './clipboard.ts';
import { type Filter, NO_FILTER } from './filter.ts';
import type { Preferences } from './preferences.ts';
import type { Rect, Selection } from './selection.ts';
import type { View } from './view.ts';

export interface Notice {
  text: string;
  tone: 'plain' | 'problem';
}

export interface EditorState {
  selection: Selection | null;
  filter: Filter;
  view: View;
  /** Evidence changed since the filter was applied: some shown rows no longer pass. */
  stale: boolean;
  preferences: Preferences;
  /** Columns are narrow, with turned headings. */
  compact: boolean;
  dialog: 'help' | 'add' | null;
  /** Where a drag of the fill handle would fill, in display rows and columns. */
  fill: Rect | null;
  /** A paste that wants a look before it is done. */
  paste: PastePlan | null;
  notice: Notice | null;
  /** Read out politely; a new object repeats the same words. */
  announcement: { text: string };
}

export type EditorStore = StoreApi<EditorState>;

export function createEditorStore(view: View, preferences: Preferences): EditorStore {
  return createStore<EditorState>(() => ({ selection: null, filter: NO_FILTER, view, stale: false, preferences, compact: preferences.compact ?? false, dialog: null, fill: null, paste: null, notice: null, announcement: { text: '' } }));
}

/** News that is seen and read out. */
export const tell = (store: EditorStore, text: string, tone: Notice['tone'] = 'plain'): void => store.setState({ notice: { text, tone }, announcement: { text } });

/** What the editor asks of the grid on screen. */
export interface GridPort {
  /** Scrolls a cell into view. */
  reveal(cell: CellAddress): void;
  /** Gives a cell the browser's focus without scrolling; the cell must be shown. */
  focus(cell: CellAddress): void;
  /** Paints cells whose state or selection changed. */
  paint(): void;
  /** Shows the rows of the present view. */
  setRows(): void;
  /** The browser's focus is in the grid. */
  hasFocus(): boolean;
  pageRows(): number;
}
