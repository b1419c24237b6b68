import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CellAddress } from '../../../data/store/port.ts';
import type { PasteRequest } from './paste-request.ts';
import { type Arrangement, PLAIN } from '../model/arrangement.ts';
import type { Preferences } from '../model/preferences.ts';
import type { Rect, Selection } from '../model/selection.ts';
import type { View } from '../model/view.ts';

export interface EditorNotice {
  text: string;
  tone: 'plain' | 'problem';
  /** What it speaks of is the latest step, and can be taken back beside it. */
  undo?: boolean;
}

/**
 * What a context menu was opened on: a cell, the heading of an item, the heading of a rule, or a
 * field of an item.
 */
export type MenuPlace = 'cell' | 'item' | 'rule' | 'field';

export interface OpenMenu {
  place: MenuPlace;
  /** On the screen. */
  x: number;
  y: number;
  /** Gets the focus back. */
  from: HTMLElement | null;
}

/**
 * `passing`: may be replaced by the next announcement before it is read out, as each step of a
 * selection is.
 */
export interface Announcement {
  text: string;
  passing?: boolean;
}

/** A cell that somebody else has just changed. */
export interface CellMark {
  by: string;
}

/** A block by two of its corners, and how many rows and columns it had. */
export interface CopiedBlock {
  from: CellAddress;
  to: CellAddress;
  rows: number;
  columns: number;
}

export interface EditorState extends Arrangement {
  selection: Selection | null;
  view: View;
  /**
   * Evidence has changed since filter and sort were applied: some rows shown no longer pass the
   * filter or are out of order.
   */
  stale: boolean;
  preferences: Preferences;
  /** Columns are narrow, with turned headings. */
  compact: boolean;
  /** Where the matrix is scrolled to, in pixels. */
  scroll: { top: number; left: number };
  /** Where the matrix is read page by page: which of how many is shown. */
  page: { at: number; count: number };
  /** The rule whose card was asked to stay. */
  cardOf: string | null;
  /** The column whose heading's menu is open. */
  menuOf: string | null;
  dialog:
    | 'help'
    | 'add'
    | 'item-add'
    | 'item-edit'
    | 'items-move'
    | 'items-remove'
    | 'items-removed'
    | 'apply-source'
    | 'find-replace'
    | null;
  /** What the form of new items begins with: a list that was pasted. */
  listed: string;
  /** A reason is asked for before recorded outcomes change. */
  reason: { id: number; changes: number; answer: (reason: string | null) => void } | null;
  /** One key is about to replace many recorded cells. */
  replacing: { replaced: number; label: string; answer: (go: boolean) => void } | null;
  /** What was copied last, until Escape, the next edit, or rows and columns are shown otherwise. */
  copied: CopiedBlock | null;
  /** Where a drag of the fill handle would fill, in display rows and columns. */
  fill: Rect | null;
  /** The context menu that is open. What it acts on is the selection. */
  menu: OpenMenu | null;
  /** A paste that wants a look before it is done. */
  paste: PasteRequest | null;
  /** A paste into the items' fields that wants a look before it is done. */
  fieldPaste: PasteRequest | null;
  notice: EditorNotice | null;
  /** Cells that others have just changed, by `markKey`. */
  marks: ReadonlyMap<string, CellMark>;
  /** Who else has written here in the last minutes. */
  others: readonly string[];
  /** Read out politely; a new object repeats the same words. */
  announcement: Announcement;
}

export type EditorStore = StoreApi<EditorState>;

export function createEditorStore(view: View, preferences: Preferences): EditorStore {
  return createStore<EditorState>(() => ({
    selection: null,
    ...PLAIN,
    view,
    scroll: { top: 0, left: 0 },
    menuOf: null,
    page: { at: 0, count: 1 },
    cardOf: null,
    stale: false,
    preferences,
    compact: preferences.compact ?? false,
    dialog: null,
    listed: '',
    reason: null,
    replacing: null,
    copied: null,
    fill: null,
    menu: null,
    paste: null,
    fieldPaste: null,
    notice: null,
    marks: new Map(),
    others: [],
    announcement: { text: '' },
  }));
}

/** News that is seen and read out. */
export const notify = (
  store: EditorStore,
  text: string,
  tone: EditorNotice['tone'] = 'plain',
  undo = false,
): void =>
  store.setState({ notice: { text, tone, ...(undo && { undo }) }, announcement: { text } });

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
  /** Lays out the columns of the present view. */
  setColumns(): void;
  /** The browser's focus is in the grid, and not where a field is being typed. */
  hasFocus(): boolean;
  /**
   * Answers later whether the person has taken the focus out of the grid since: what only ends then
   * leaves it where it is.
   */
  watchFocus(): () => boolean;
  pageRows(): number;
  /** Opens the menu of what has the browser's focus; false where that has none. */
  openMenu(): boolean;
  goToPage(page: number): void;
  /** Pixels; undefined where the column is not drawn now. */
  columnWidth(rule: string): number | undefined;
  /** Begins to type the field that has the focus; false where that is none. */
  editField(): boolean;
}
