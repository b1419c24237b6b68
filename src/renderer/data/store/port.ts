import type { Round } from '../../../shared/contract/v1/rounds.ts';
import type { CellState } from '../../../shared/domain/outcome.ts';
import type { HistoryStep, RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { ItemField } from '../../../sync/register.ts';
import type { ProfileUid, CaseUid } from '../../../shared/contract/ids.ts';

/** Address of a cell in the session: row index in `items`, column index in `rules`. */
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

/** Whether evidence can be recorded here; if not, why, in words for a person. */
export type EditingAccess =
  | { may: 'write' }
  | {
      may: 'read';
      because: 'viewer' | 'ended' | 'other_user' | 'storage' | 'document' | 'approved';
      words: string;
    };

/** How far what was recorded in this window has come: to this device's disk, to the server's. */
export interface SaveStatus {
  /**
   * Changes in this window's outbox that the server has not committed yet and that are sent without
   * anybody's help.
   */
  waiting: number;
  /** Commands that are on screen but not yet on this device's disk. */
  storing: number;
  /** When the oldest of both was made, ms since 1970; null when nothing waits. */
  oldest: number | null;
  /** Number of contested cells. */
  review: number;
  /**
   * Changes kept here that are not sent until a person acts, because access has ended or the server
   * has refused them.
   */
  blocked: number;
  /** Number of changes with quarantined entries: the server stores them without applying them. */
  quarantined: number;
  /** Time of the last known commit, ms since 1970. */
  savedAt: number | null;
  /** When both sides last held the same changes while nothing waited (R7), ms since 1970. */
  verifiedAt: number | null;
  access: EditingAccess;
  connection: 'online' | 'offline';
  /**
   * A problem that needs a person (disk full, access ended, refused change), in words; null when
   * all is well.
   */
  problem: string | null;
}

export interface UndoOutcome {
  label: string;
  /**
   * The first MAX_LISTED of the cells taken back, in the command's order; `count` says how many
   * there were.
   */
  cells: readonly CellAddress[];
  count: number;
  /**
   * Cells left alone because somebody has changed them since; listed and counted in the same way.
   */
  skipped: readonly CellAddress[];
  skippedCount: number;
  /** Items whose row was taken back, and items that were left alone. */
  items: readonly string[];
  skippedItems: readonly string[];
  /** Whether a cell is among those taken back, listed or not. */
  includes(cell: CellAddress): boolean;
}

/** A cell's outcome with its source and provenance, a cell's notes, or a field of an item. */
export type ContestField = 'outcome' | 'notes' | ItemField;

/** A register whose heads say different things: two people wrote it without seeing each other. */
export interface Contest {
  /** The register's address. */
  reg: string;
  item: string;
  /** Null for a field of the item itself. */
  rule: string | null;
  field: ContestField;
  /**
   * What differs: outcomes, only their sources, notes, or a field of an item; or somebody wrote in
   * a removed item without knowing of the removal.
   */
  kind: 'value' | 'source' | 'notes' | 'item' | 'removed';
}

/** One of several values that contradict each other. */
export interface Alternative {
  reg: string;
  field: ContestField;
  entry: string;
  displayed: boolean;
  /** The value as it was written. The members below are its parts, for a cell. */
  value: unknown;
  raw_outcome: CellState;
  source_value: string | null;
  notes: string | null;
  provenance: unknown;
}

/** What an outcome comes from, and the reason given for it. */
export interface Citing {
  from: readonly string[];
  reason: string | null;
}

/** Who wrote an entry. */
export interface EntryAuthor {
  entry: string;
  /** RFC 3339. */
  at: string;
  by: string;
  kind: 'human' | 'agent' | 'import';
  reason: string | null;
  /** Written by this person; `here` is false if it was on another device. */
  mine: boolean;
  here: boolean;
  /**
   * Who brought the value back by an undo; the other members name the person who first wrote it.
   */
  restored: { at: string; by: string } | null;
}

/** The decision on one register, and the heads that were shown when it was made. */
export interface Settling {
  reg: string;
  heads: readonly string[];
  value: unknown;
  /** The entries that an outcome comes from. */
  from?: readonly string[];
}

/** What a command writes in one cell: an absent member stays as it is, null clears it. */
export interface CellPatch {
  raw_outcome?: CellState;
  source_value?: string | null;
  notes?: string | null;
  provenance?: unknown;
  /**
   * The entries that the outcome comes from (SPEC.md, YC6). It is then written also where the cell
   * shows it already.
   */
  from?: readonly string[];
}

/** One change of a row. */
export type ItemEdit =
  /**
   * Adds a row before another one or at the end. The uid of a removed row brings it back with its
   * cells.
   */
  | {
      do: 'add';
      item_uid: string;
      label?: string;
      item_type?: string;
      metadata?: Record<string, unknown>;
      before?: string;
    }
  | {
      do: 'set';
      item_uid: string;
      label?: string;
      item_type?: string;
      metadata?: Record<string, unknown>;
    }
  /** Hides the row; its history and cells are kept. */
  | { do: 'remove'; item_uid: string }
  /** Removes the row again, after somebody has seen what was written in it meanwhile. */
  | { do: 'keep-removed'; item_uid: string }
  /** Moves rows before another one or to the end; they keep their order among themselves. */
  | { do: 'move'; item_uids: readonly string[]; before: string | null };

/** A cell that somebody else has just changed. */
export interface CellNews extends CellAddress {
  by: RecordedBy;
}

/** In a block: leave the cell as it is. */
export const LEAVE = 255;
/** Most cells that one command may write. */
export const MAX_EDIT_CELLS = 1_000_000;
/** Most cells that the outcome of an undo lists. */
export const MAX_LISTED = 1_000;

/**
 * Outcomes for items x rules, row by row, without an object for each cell. A code is an index into
 * CELL_STATES, or LEAVE.
 */
export interface CellBlock {
  items: readonly string[];
  rules: readonly string[];
  states: CellState | Uint8Array;
}

export interface Edit {
  label: string;
  why?: string;
  items?: readonly ItemEdit[];
  blocks?: readonly CellBlock[];
  cells?: readonly (CellAddress & { patch: CellPatch })[];
}

/** Thrown when something is to be recorded in a read-only copy. */
export class ReadOnlyError extends Error {
  override name = 'ReadOnlyError';
}

/** Thrown for an edit that cannot be applied; nothing of it was. */
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
 * One open matrix: the items of a case under one profile version, in typed arrays, stored in Dexie
 * and synchronised in the background. Reads are synchronous and cheap. Writes are on screen at
 * once; their promises resolve when they are safely in the outbox.
 */
export interface MatrixSession {
  readonly caseUid: CaseUid;
  readonly profile: ProfileDocument;
  /** Digest of that document; null until the server was asked. */
  readonly documentDigest: string | null;
  /**
   * Suggests the outcomes of an edit for cells that are shown with another one, also where the case
   * is approved and without a connection; or withdraws what was suggested so. The record stays as it
   * is. `left`: cells that the edit would clear, or give details alone, which nobody can suggest.
   */
  suggest(
    edit: Pick<Edit, 'blocks' | 'cells'>,
    isWithdrawn?: boolean,
  ): Promise<{ suggested: number; left: number }>;
  /** Whether the case is approved, as became known after it was opened: then it can be read alone. */
  noteApproved(isApproved: boolean): void;
  /** Rule uids in ruleOrder. */
  readonly rules: readonly string[];
  /** Items in row order. A new array when items change. */
  readonly items: readonly ItemRow[];
  /** Removed items in row order: adding their uid again brings them back with their cells. */
  removedItems(): ItemRow[];
  /** Row index of an item, or -1. */
  rowOf(itemUid: string): number;
  columnOf(ruleUid: string): number;
  /** For drawing: by index, in constant time. */
  state(row: number, column: number): CellState;
  contested(row: number, column: number): boolean;
  detail(row: number, column: number): CellDetail;
  /** Changes whenever anybody writes in the cell. */
  cellVersion(row: number, column: number): string;
  /**
   * Who recorded a cell's outcome, also without the server; null where nothing was recorded, or it
   * is not known. The same object for the same author.
   */
  recordedBy(row: number, column: number): RecordedBy | null;
  /**
   * Visits the cells that have details or are contested, in no particular order. There are few of
   * them.
   */
  eachDetail(visit: (row: number, column: number, detail: CellDetail) => void): void;
  eachContested(visit: (row: number, column: number) => void): void;
  /**
   * Counts of one row, one column or everything: index 0 FALSE, 1 TRUE, 2 NA, 3 unrecorded. Updated
   * as cells change, so cheap.
   */
  rowCounts(row: number): readonly [number, number, number, number];
  columnCounts(column: number): readonly [number, number, number, number];
  totals(): readonly [number, number, number, number];
  /**
   * Grows with every visible change. Listeners get the touched cells, or null where everything may
   * have changed, items included.
   */
  readonly revision: number;
  subscribe(
    listener: (touched: readonly { row: number; column: number }[] | null) => void,
  ): () => void;
  /**
   * Hears of cells that others change while the matrix is open. What came in at once while nobody
   * could be asked, or for more cells than one can look at, is no news.
   */
  subscribeNews(listener: (news: readonly CellNews[]) => void): () => void;
  /**
   * One command and one undo step. Cells whose value would not change are left out. `why` is stored
   * in their history.
   */
  write(
    label: string,
    cells: readonly CellAddress[],
    patch: CellPatch | ((cell: CellAddress) => CellPatch),
    why?: string,
  ): Promise<{ written: number }>;
  /**
   * The values of a cell, the displayed one first. There are several where people wrote without
   * seeing each other's value.
   */
  alternatives(row: number, column: number): Alternative[];
  /**
   * Everything that is contested: outcomes first, then sources, notes and fields of items, each in
   * row order.
   */
  contests(): Contest[];
  /** How many cells and items have something contested. Cheap. */
  contestCount(): number;
  /** The values of one register, the displayed one first. */
  headsOf(reg: string): Alternative[];
  /** What was written in a removed item by people who did not know of the removal. */
  editsUnder(item: string): Alternative[];
  /**
   * By name, the entries of this computer that say what an outcome comes from and that the server
   * does not have yet.
   */
  citing(): Promise<ReadonlyMap<string, Citing>>;
  /**
   * The entry whose value this one brings back, where an undo or redo of this computer wrote it, or
   * the entry itself; empty where that value is that nothing was recorded.
   */
  firstSaid(entry: string): string;
  /** Who wrote these entries. Entries that the server could not be asked about are left out. */
  writers(entries: readonly string[]): Promise<ReadonlyMap<string, EntryAuthor>>;
  /**
   * Settles contested registers in one command. Needs a reason. A register whose heads are no
   * longer those that were shown is left as it is.
   */
  settle(
    settlings: readonly Settling[],
    why: string,
    label: string,
  ): Promise<{ settled: number; left: readonly string[] }>;
  /**
   * One command and one undo step: items first, then blocks, then cells, which may name items that
   * the same edit adds. If a cell is named twice, the first value counts. All or nothing: throws
   * InvalidEditError if any part cannot be applied. Answers how many items and cells changed.
   */
  apply(edit: Edit): Promise<{ items: number; cells: number }>;
  /** What `apply` would refuse of these edits; changes nothing. */
  check(items: readonly ItemEdit[]): { index: number; message: string }[];
  undo(): Promise<UndoOutcome | null>;
  /**
   * Undoes so many of the latest steps, a number that may not be known yet. What is asked for
   * meanwhile comes after it.
   */
  undoLatest(steps: Promise<number>): Promise<void>;
  redo(): Promise<UndoOutcome | null>;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /**
   * A cell's history, newest first. `complete` is false when the server could not be asked and only
   * this window's unsent changes are listed.
   */
  history(cell: CellAddress): Promise<{ steps: HistoryStep[]; complete: boolean }>;
  readonly saveStatus: SaveStatus;
  subscribeSaveStatus(listener: () => void): () => void;
  /** Resolves when nothing waits any more; rejects after `ms`. Used before a run is made. */
  flush(ms: number): Promise<void>;
  close(): void;
}

/**
 * `digest`: of the document that the matrix is known to use; a copy that was read under another one
 * is read again.
 */
interface MatrixOfCase {
  caseUid: CaseUid;
  profileUid: ProfileUid;
  profileVersion: string;
  digest?: string | undefined;
}
/** Rejects with `HiddenMatrixError` where an open round hides the matrix from who is signed in. */
export type OpenMatrix = (address: MatrixOfCase) => Promise<MatrixSession>;
/** What a person may not do with a matrix of theirs; undefined where nobody tells. */
export interface Restrictions {
  /** The open round that hides it from them, if any. */
  hiddenBy: Round | null | undefined;
  /** Whether its case is approved, and takes suggestions alone. */
  isApproved: boolean | undefined;
}
export type RestrictionsOf = (address: MatrixOfCase) => Promise<Restrictions>;
