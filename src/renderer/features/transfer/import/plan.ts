import type { CellAddress, CellPatch, ItemEdit } from '../../../data/store/port.ts';
import type { Origin } from '../../../files/origin.ts';
import type { Meaning } from './words.ts';

export interface WordChoice {
  /** By `wordKey`. */
  meanings: ReadonlyMap<string, Meaning>;
  /** Words that say their outcome plainly: they change no cell that has the outcome already. */
  plain: ReadonlySet<string>;
  /** Each cell that is written keeps the text that was read, and where. */
  keepsWords: boolean;
  origin: Origin;
  /** Empty fields clear their cell; else they leave it as it is. */
  emptyClears: boolean;
}

/** A field or a row that is not taken, and why. */
export interface Rejection {
  line: number;
  /** Index of the column; null: the whole row. */
  column: number | null;
  text: string;
  reason: string;
}

/** What an import changes although something stood there. */
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

/**
 * Outcomes of a file with a row an item: codes of `CELL_STATES` or LEAVE, row by row; the word of a
 * cell that becomes its source value, 0 for none; and where each row and column is in the file.
 */
export interface WideCells {
  items: string[];
  rules: string[];
  states: Uint8Array;
  sources: Uint32Array;
  lines: number[];
  columns: number[];
  origin: Origin;
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

/** How many cells an import writes. */
export const cellCount = ({ fresh, overwritten, cleared, detailed }: ImportPlan): number =>
  fresh + overwritten + cleared + detailed;
