import Dexie, { type Table } from 'dexie';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { Aside } from '../../../sync/faults.ts';
import type { LogCursor } from '../../../sync/log.ts';
import type { ItemField } from '../../../sync/register.ts';
import type { AuthorsRow } from './authors.ts';
import type { RowCipher } from '../encryption/cipher.ts';
import { encryptDatabase } from '../encryption/encrypted-tables.ts';
import type { CellDetail } from './port.ts';
import { giveToUsers } from './upgrade-users.ts';
import type { ProfileUid, CaseUid } from '../../../shared/contract/ids.ts';

/**
 * Rows of a matrix are stored in blocks of this many items: an edit rewrites one small block, and
 * opening the matrix reads few.
 */
export const BLOCK_ITEMS = 256;
export const IDS_PER_CHUNK = 256;

/**
 * A head: the number of its change in this replica (0: none) and the index of the entry in that
 * change. Valid within one `gen` of a matrix only.
 */
export type HeadRef = readonly [ref: number, index: number];

/**
 * A case under one profile version: the profile document, and the link to the server (R1: changed
 * only in the transaction of the data it speaks of). `gen` is the replica's generation and `boot`
 * the one window that may write it; every write of replica rows checks both (R3).
 */
export interface MatrixRow {
  id: string;
  /**
   * Whose copy this is. Another user of the same browser has a copy and an undo journal of their
   * own.
   */
  user: string;
  case_uid: CaseUid;
  profile_uid: ProfileUid;
  profile_version: string;
  profile: ProfileDocument;
  rules: string[];
  /** The profile document that the matrix uses; absent until a snapshot was read. */
  document?: MatrixDocument;
  gen: number;
  boot: string;
  rev: number;
  epoch: string;
  /**
   * Position in the server's log of the snapshot that this replica began with, and how far it has
   * read since.
   */
  base_seq: number;
  pull_seq: number;
  pull_chain: string;
  /** Highest position seen, sent with every request (R5). */
  witness: LogCursor;
  count: number;
  sum: string;
  /**
   * The schema version by which entries were classified. If it is not this program's, or 0, the
   * matrix has to be read from the server again (S6).
   */
  schema: number;
  last_ok: number | null;
  /**
   * Whether the copy has the author of each change. Copies of earlier versions do not, and are read
   * from the server again.
   */
  authored?: true;
  /** Number of contested cells, as last counted. */
  review: number;
  /**
   * Unsent changes that were applied on top of the snapshot. If one of them turns out to be
   * contained in it, the snapshot is read again.
   */
  overlaid: string[];
}

/**
 * `named`: the case's log names this copy's document. `other`: it names another one too, or
 * instead, or several are known: nothing can be recorded here until a person has settled it.
 */
export interface MatrixDocument {
  digest: string;
  named: boolean;
  other: boolean;
}

export interface ItemRecord {
  item_uid: string;
  item_type: string;
  label: string;
  metadata: Record<string, unknown>;
  position: number;
  exists: boolean;
  /**
   * Of a removed item: the entries of its cells that its remover had seen (`covers`); absent where
   * the removal does not name them.
   */
  covers?: string[];
  heads: Record<string, HeadRef>;
}
export interface ItemsRow {
  matrix: string;
  block: number;
  items: ItemRecord[];
}
export interface BlockRow {
  matrix: string;
  block: number;
  raw: Uint8Array;
  ref: Uint32Array;
  index: Uint16Array;
}
export interface StoredDetail extends CellDetail {
  notesHead: HeadRef | null;
}
/** All details of one row, by column. */
export interface DetailsRow {
  matrix: string;
  slot: number;
  cells: Record<number, StoredDetail>;
}
/**
 * Ids and clocks of changes as lines of text (see change-ids.ts), IDS_PER_CHUNK lines in a row, and
 * their authors.
 */
export interface ChangeIdsRow {
  matrix: string;
  chunk: number;
  text: string;
  by?: AuthorsRow;
}
/** A head that is not the one displayed. */
export interface ConflictingHead {
  ref: number;
  index: number;
  value: unknown;
}
export interface ContestedRow {
  matrix: string;
  register: string;
  others: ConflictingHead[];
  cited: string[];
}

/**
 * An unsent change. Its bytes are made once, when the command is stored, and sent unchanged until
 * they are acknowledged.
 */
export interface OutboxRow {
  n?: number;
  id: string;
  case_uid: CaseUid;
  /** The author: the change is sent in this user's name or not at all. */
  user: string;
  text: string;
  bytes: number;
  created: number;
  state: 'waiting' | 'damaged';
  reason: string | null;
  /** The server failed on it (R12), as opposed to having refused it: it is offered again. */
  aside?: Aside;
}
/**
 * Changes acknowledged recently, kept to be offered again if the server is restored from a backup
 * (R6).
 */
export type SentRow = Omit<OutboxRow, 'state' | 'reason' | 'aside'>;
/** A change with entries that the server keeps without applying them. */
export interface QuarantinedRow {
  id: string;
  case_uid: CaseUid;
  user: string;
  entries: number[];
  at: number;
}

/** Heads of many cells: index in the row's `ids` (0: none), and index of the entry. */
export interface StoredHeads {
  id: Uint32Array;
  entry: Uint16Array;
}
export type StoredHead = readonly [id: number, entry: number];

/**
 * An undo step as stored (see undo-steps.ts). It names only uids and change ids, so it stays valid
 * when the replica is built again.
 */
export interface UndoStepRow {
  matrix: string;
  id: string;
  /** `past`: cannot be redone, but is kept for the heads that it names. */
  stack: 'undo' | 'redo' | 'past';
  label: string;
  why: string | null;
  at: number;
  items: string[];
  rules: string[];
  item: Uint32Array;
  rule: Uint16Array;
  wrote: Uint8Array;
  before: Uint8Array;
  after: Uint8Array;
  ids: string[];
  head: StoredHeads;
  former: StoredHeads;
  root: StoredHeads | null;
  details: Record<
    number,
    {
      before: CellDetail;
      after: CellDetail;
      head: StoredHead;
      former: StoredHead;
      root: StoredHead;
    }
  >;
  /** Written fields of rows, with their values before. */
  rows: {
    item: string;
    field: ItemField;
    before: unknown;
    head: StoredHead;
    former: StoredHead;
    root: StoredHead;
  }[];
  /** Registers that this step settled, or made contested again. */
  turns: {
    reg: string;
    op: 'resolve' | 'set';
    heads: { head: StoredHead; value: unknown; of: string }[];
    value: unknown;
    from?: readonly string[];
    head: StoredHead;
    former: StoredHead;
    root: StoredHead;
  }[];
}

export interface ListRow {
  key: string;
  /** Kind of the record, by which lists find it. */
  kind?: string;
  at: number;
  data: unknown;
}
export interface ValueRow {
  key: string;
  value: unknown;
}

export interface Database extends Dexie {
  matrices: Table<MatrixRow, string>;
  items: Table<ItemsRow, [string, number]>;
  blocks: Table<BlockRow, [string, number]>;
  details: Table<DetailsRow, [string, number]>;
  names: Table<ChangeIdsRow, [string, number]>;
  contested: Table<ContestedRow, [string, string]>;
  outbox: Table<OutboxRow, number>;
  sent: Table<SentRow, number>;
  quarantined: Table<QuarantinedRow, string>;
  gestures: Table<UndoStepRow, [string, string]>;
  lists: Table<ListRow, string>;
  ui: Table<ValueRow, string>;
  meta: Table<ValueRow, string>;
}

export const DATABASE_NAME = 'evidence-studio';
/** Key range of all rows of one matrix in a table keyed `[matrix+…]`. */
export const rowsOf = (matrix: string): [[string, unknown], [string, unknown]] => [
  [matrix, Dexie.minKey],
  [matrix, Dexie.maxKey],
];

/**
 * `encryption`: encrypts rows on their way to the database; absent in a studio on one's own
 * computer, whose rows are stored as they are.
 */
export interface StoreEngine {
  factory: IDBFactory;
  keyRange: typeof IDBKeyRange;
  encryption?: { cipher: RowCipher; record: unknown } | undefined;
}

/**
 * A transaction counts as complete only when it is flushed to disk; Chromium's default promises
 * only that the operating system has the bytes.
 */
export function defineDatabase(name: string, engine: StoreEngine): Database {
  const db = new Dexie(name, {
    indexedDB: engine.factory,
    IDBKeyRange: engine.keyRange,
    chromeTransactionDurability: 'strict',
    cache: 'disabled',
  }) as Database;
  db.version(1).stores({
    matrices: 'id, case_uid',
    items: '[matrix+block]',
    blocks: '[matrix+block]',
    details: '[matrix+slot]',
    names: '[matrix+chunk]',
    contested: '[matrix+register]',
    outbox: '++n, &id, [case_uid+state], [case_uid+created]',
    sent: '++n, &id, case_uid',
    gestures: '[matrix+id], [matrix+stack]',
    lists: 'key',
    ui: 'key',
    meta: 'key',
  });
  // Steps with rows.
  db.version(2).upgrade((transaction) =>
    transaction
      .table<Partial<UndoStepRow>>('gestures')
      .toCollection()
      .modify((row) => {
        row.rows ??= [];
      }),
  );
  // Steps with settlements.
  db.version(3).upgrade((transaction) =>
    transaction
      .table<Partial<UndoStepRow>>('gestures')
      .toCollection()
      .modify((row) => {
        row.turns ??= [];
      }),
  );
  // Copies and unsent changes belong to a user.
  db.version(4)
    .stores({
      outbox: '++n, &id, [case_uid+user+state], [case_uid+user+state+created]',
      sent: '++n, &id, [case_uid+user]',
      quarantined: 'id, [case_uid+user]',
    })
    .upgrade(giveToUsers);
  // Lists find their records by their kind.
  db.version(5).stores({ lists: 'key, kind' });
  if (engine.encryption !== undefined) encryptDatabase(db, engine.encryption);
  return db;
}
