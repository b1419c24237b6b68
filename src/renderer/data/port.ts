import type { CellState } from '../../shared/domain/outcome.ts';
import type { HistoryStep } from '../../shared/contract/v1/evidence.ts';
import type { ProfileDocument } from '../../shared/domain/profile.ts';
import type { ItemField } from '../../sync/register.ts';

/** Address of a cell on the screen's own axes: row index in `items`, column index in `rules`. */
export interface CellAddress {
  item: string;
  rule: string;
}

export interface ItemRow {
  item_uid: string;
  item_type: string;
  label: string;
  metadata: Record<string, unknown>;
  position: number;
}

export interface CellDetail {
  source_value: string | null;
  notes: string | null;
  provenance: unknown;
}

/** Whether evidence can be recorded here, and if not, why, in words. */
export type Access = { may: 'write' } | { may: 'read'; because: 'viewer' | 'ended' | 'other_user' | 'storage'; words: string };

/** Where the evidence stands between this window and the server's disk. */
export interface SaveStatus {
  /** Changes in this window's outbox that the server has not committed and that go there by themselves. */
  waiting: number;
  /** Gestures on screen that are not on this device's disk yet. */
  storing: number;
  /** When the oldest of both was made, ms since 1970; null when none waits. */
  oldest: number | null;
  /** Contested cells. */
  review: number;
  /** Changes kept here that nobody sends until a person acts: access has ended, or the server has refused them. */
  parked: number;
  /** Changes of which the server keeps entries that it does not apply. */
  quarantined: number;
  /** Last commit known, ms since 1970. */
  savedAt: number | null;
  /** When nothing waited and the sets of changes here and there were equal (R7). */
  verifiedAt: number | null;
  access: Access;
  connection: 'online' | 'offline';
  /** A refusal that needs a person (disk full, access ended, damaged change), in words; null when all is well. */
  problem: string | null;
}

export interface UndoOutcome {
  label: string;
  /** The first MAX_LISTED of the cells taken back, in the gesture's order; `count` says how many there were. */
  cells: readonly CellAddress[];
  count: number;
  /** Cells left alone because they were changed by someone else since, listed and counted alike. */
  skipped: readonly CellAddress[];
  skippedCount: number;
  /** Items whose row was taken back, and those left alone. */
  items: readonly string[];
  skippedItems: readonly string[];
  /** Whether a cell is among those taken back, listed or not. */
  includes(cell: CellAddress): boolean;
}

/** What a register holds: a cell's outcome with its source and provenance, its notes, or a field of an item. */
export type ContestField = 'outcome' | 'notes' | ItemField;

/** A register whose heads say different things: two people wrote it without seeing each other. */
export interface Contest {
  /** The register's address. */
  reg: string;
  item: string;
  /** Null: a field of the item itself. */
  rule: string | null;
  field: ContestField;
  /** Outcomes differ; only their sources do; notes differ; a field of an item does; or somebody wrote beneath a removal without seeing it. */
  kind: 'value' | 'source' | 'notes' | 'item' | 'removed';
}

/** One of several writings that contest. */
export interface Alternative {
  reg: string;
  field: ContestField;
  entry: string;
  displayed: boolean;
  /** As it was written. The members below are its parts, where it is of a cell. */
  value: unknown;
  raw_outcome: CellState;
  source_value: string | null;
  notes: string | null;
  provenance: unknown;
}

/** Who wrote an entry. */
export interface Writer {
  entry: string;
  /** RFC 3339. */
  at: string;
  by: string;
  kind: 'human' | 'agent' | 'import';
  reason: string | null;
  /** Written by this person; on another device where `here` is false. */
  mine: boolean;
  here: boolean;
  /** Who brought it back, where an undo did; the rest is of the one who wrote it first. */
  restored: { at: string; by: string } | null;
}

/** What settles one register, and the heads that were shown when it was decided. */
export interface Settling {
  reg: string;
  heads: readonly string[];
  value: unknown;
}

/** One write of a gesture: absent members stay as they are, null clears. */
export interface CellPatch {
  raw_outcome?: CellState;
  source_value?: string | null;
  notes?: string | null;
  provenance?: unknown;
}

/** One change of a row. */
export type ItemEdit =
  /** Before another row, or at the end. The uid of a removed row brings that row back, with its cells. */
  | { do: 'add'; item_uid: string; label?: string; item_type?: string; metadata?: Record<string, unknown>; before?: string }
  | { do: 'set'; item_uid: string; label?: string; item_type?: string; metadata?: Record<string, unknown> }
  /** A tombstone: history and cells are kept. */
  | { do: 'remove'; item_uid: string }
  /** Removed again, by somebody who has seen what was written beneath meanwhile. */
  | { do: 'keep-removed'; item_uid: string }
  /** Before another row, or to the end; rows keep their order among themselves. */
  | { do: 'move'; item_uids: readonly string[]; before: string | null };

/** In a block: the cell stays as it is. */
export const LEAVE = 255;
/** Most cells of one gesture. */
export const MAX_GESTURE_CELLS = 1_000_000;
/** Most cells that an outcome lists. */
export const MAX_LISTED = 1_000;

/** Outcomes of items x rules, row by row, without an object a cell. A code is an index into CELL_STATES, or LEAVE. */
export interface CellBlock { items: readonly string[]; rules: readonly string[]; states: CellState | Uint8Array }

export interface Edit {
  label: string;
  why?: string;
  items?: readonly ItemEdit[];
  blocks?: readonly CellBlock[];
  cells?: readonly (CellAddress & { patch: CellPatch })[];
}

/** Nothing is recorded in a copy that can only be read. */
export class ReadOnlyError extends Error {
  override name = 'ReadOnlyError';
}

/** An edit that cannot be applied; nothing of it was. */
export class InvalidEditError extends Error {
  override name = 'InvalidEditError';
  readonly part: 'items' | 'blocks' | 'cells' | 'why';
  readonly index: number;
  constructor(part: InvalidEditError['part'], index: number, message: string) {
    super(message);
    this.part = part;
    this.index = index;
  }
}

/**
 * One open matrix: the case's items under one profile version, held in columns, backed by Dexie, synchronised in the background.
 * Reads are synchronous and cheap; writes are on screen at once and resolve when they are durable in the outbox.
 */
export interface MatrixSession {
  readonly caseUid: string;
  readonly profile: ProfileDocument;
  /** Rule uids in ruleOrder. */
  readonly rules: readonly string[];
  /** Items in row order. A new array when items change. */
  readonly items: readonly ItemRow[];
  /** Items that were taken out of the case, in row order: adding their uid brings them back with their cells. */
  removedItems(): ItemRow[];
  /** Row index of an item, or -1. */
  rowOf(itemUid: string): number;
  columnOf(ruleUid: string): number;
  /** Constant time; by indices, for renderers. */
  state(row: number, column: number): CellState;
  contested(row: number, column: number): boolean;
  detail(row: number, column: number): CellDetail;
  /** Goes through the cells that have details, or contest, in no order: there are few of them among many. */
  eachDetail(visit: (row: number, column: number, detail: CellDetail) => void): void;
  eachContested(visit: (row: number, column: number) => void): void;
  /** Counts of one row / column / all: index 0 FALSE, 1 TRUE, 2 NA, 3 unrecorded. Kept incrementally. */
  rowCounts(row: number): readonly [number, number, number, number];
  columnCounts(column: number): readonly [number, number, number, number];
  totals(): readonly [number, number, number, number];
  /** Grows with every visible change. `subscribe` hears of the touched cells (null: everything, items included). */
  readonly revision: number;
  subscribe(listener: (touched: readonly { row: number; column: number }[] | null) => void): () => void;
  /** One gesture, one undo step. Cells whose value would not change are left out. `why` is kept in history. */
  write(label: string, cells: readonly CellAddress[], patch: CellPatch | ((cell: CellAddress) => CellPatch), why?: string): Promise<{ written: number }>;
  /** What the heads of a cell say, the displayed one first. More than one where people wrote without seeing each other. */
  alternatives(row: number, column: number): Alternative[];
  /** All that waits to be settled: outcomes, then sources, notes and fields of items, each in row order. */
  contests(): Contest[];
  /** How many cells and items have something contested. Cheap. */
  contestCount(): number;
  /** What the heads of one register say, the displayed one first. */
  headsOf(reg: string): Alternative[];
  /** What was written beneath the removal of an item by those who had not seen it. */
  editsUnder(item: string): Alternative[];
  /** Who wrote these entries; those that the server could not be asked about are left out. */
  writers(entries: readonly string[]): Promise<ReadonlyMap<string, Writer>>;
  /** One gesture that settles registers: the one act that names every head. Needs a reason. A register with other heads than were shown is left as it is. */
  settle(settlings: readonly Settling[], why: string, label: string): Promise<{ settled: number; left: readonly string[] }>;
  /**
   * One gesture, one undo step: items first, then blocks, then cells, which may name items that the same edit adds. Where a cell is named twice the
   * first wish holds. All or nothing: InvalidEditError if any part cannot be applied. Answers how many items and cells changed.
   */
  apply(edit: Edit): Promise<{ items: number; cells: number }>;
  /** What `apply` would refuse of these, without changing anything. */
  check(items: readonly ItemEdit[]): { index: number; message: string }[];
  undo(): Promise<UndoOutcome | null>;
  redo(): Promise<UndoOutcome | null>;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Newest first. `complete` is false when the server could not be asked and only this window's unsent changes are listed. */
  history(cell: CellAddress): Promise<{ steps: HistoryStep[]; complete: boolean }>;
  readonly saveStatus: SaveStatus;
  subscribeSaveStatus(listener: () => void): () => void;
  /** Resolves when nothing waits, or rejects after `ms` (used before a run). */
  flush(ms: number): Promise<void>;
  close(): void;
}

export type OpenMatrix = (address: { caseUid: string; profileUid: string; profileVersion: string }) => Promise<MatrixSession>;
