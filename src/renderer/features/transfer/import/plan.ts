import type { CellAddress, CellPatch, ItemEdit } from '../../../data/store/port.ts';
import type { Mapped } from './values.ts';

/** What becomes of cells and fields that hold something already. */
export const MEETS = ['fill', 'overwrite', 'differ'] as const;
/**
 * `fill` writes only where nothing stands; `overwrite` replaces; `differ` adds what was read to
 * what is the same, and leaves what differs as it is.
 */
export type Meet = (typeof MEETS)[number];

/** Of a cell of the table, by its row and column, where it was read. */
export type Locate = (row: number, column: number) => Record<string, string>;

export interface ImportChoice {
  /** Of each column, what its values map to, by `wordKey`. */
  meanings: ReadonlyMap<number, ReadonlyMap<string, Mapped>>;
  /** Each cell that is written keeps the text that was read, and where. */
  keepsWords: boolean;
  locate: Locate;
  /** Empty fields clear their cell; else they leave it as it is. */
  emptyClears: boolean;
  meet: Meet;
  /** Items of the case that are meant by other IDs of the file. */
  aliases: ReadonlyMap<string, string>;
}

/** A field or a row that is not taken, and why. */
export interface Rejection {
  line: number;
  /** Index of the column; null: the whole row. */
  column: number | null;
  text: string;
  reason: string;
}

/** What an import changes, or leaves, although something stood there. */
export interface ImportChange {
  line: number;
  item: string;
  /** A rule, or a field of the item. */
  place: string;
  before: string;
  after: string;
}

export interface Flag {
  line: number;
  column: number;
  text: string;
  why: string;
  isChanged: boolean;
}

/** An item that the import adds. */
export interface NewItem {
  line: number;
  uid: string;
  /** Why a spreadsheet may have changed its ID, or would. */
  doubt: string | undefined;
  /** The item of the case that may be meant, or one further up in the file. */
  near: { uid: string; isPresent: boolean; why: string } | undefined;
}

/**
 * Outcomes of a file with a row an item: codes of `CELL_STATES` or LEAVE, row by row; the word of a
 * cell that becomes its source value, 0 for none; and where each row and column is in the table.
 */
export interface WideCells {
  items: string[];
  rules: string[];
  states: Uint8Array;
  sources: Uint32Array;
  rows: number[];
  columns: number[];
  locate: Locate;
}

/** A list that keeps its first entries and counts all. */
export interface CountedList<T> {
  entries: T[];
  count: number;
}

export interface ImportPlan {
  items: ItemEdit[];
  added: number;
  /** Of those: removed once, and brought back with their cells. */
  returned: number;
  /** Items whose label, type or metadata change. */
  changed: number;
  newItems: CountedList<NewItem>;
  itemChanges: CountedList<ImportChange>;
  wide: WideCells | undefined;
  cells: (CellAddress & { patch: CellPatch })[];
  fresh: number;
  overwritten: number;
  cleared: number;
  /** Cells whose outcome stays and whose details grow. */
  detailed: number;
  /** Of the cells written: those that contest. They do so afterwards too. */
  contested: number;
  unchanged: number;
  empty: number;
  skipped: number;
  overwrites: CountedList<ImportChange>;
  /** What the file says otherwise, and what stays as it is. */
  left: CountedList<ImportChange>;
  rejections: CountedList<Rejection>;
  flags: CountedList<Flag>;
  /** The session's revision that was compared with. */
  revision: number;
  /** Nothing may be imported, and why. */
  problem: string | undefined;
}

const KEPT = 100_000;

export function note<T>(list: CountedList<T>, entry: T): void {
  list.count += 1;
  if (list.entries.length < KEPT) list.entries.push(entry);
}

const none = <T>(): CountedList<T> => ({ entries: [], count: 0 });

export const emptyPlan = (revision: number): ImportPlan => ({
  items: [],
  added: 0,
  returned: 0,
  changed: 0,
  newItems: none(),
  itemChanges: none(),
  wide: undefined,
  cells: [],
  fresh: 0,
  overwritten: 0,
  cleared: 0,
  detailed: 0,
  contested: 0,
  unchanged: 0,
  empty: 0,
  skipped: 0,
  overwrites: none(),
  left: none(),
  rejections: none(),
  flags: none(),
  revision,
  problem: undefined,
});

/** How many cells an import writes. */
export const cellCount = ({ fresh, overwritten, cleared, detailed }: ImportPlan): number =>
  fresh + overwritten + cleared + detailed;
