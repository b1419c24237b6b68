import type { Sender } from '../../../shared/domain/sender.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';
import type { LinkRow as SyncLink } from '../../../sync/link.ts';
import type { Actor } from '../db/actor.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';

export interface LogPosition {
  epoch: string;
  seq: number;
  chain: string;
  count: number;
  sum: string;
}
export interface LogChange extends WireChange {
  seq: number;
  received_at: string;
  actor: string;
  /** The author's name as it is shown here. */
  author: string;
  /** Absent where this server wrote it itself. */
  sent_by?: Sender;
  quarantined: number[];
}
/**
 * Whose changes may be pushed: the caller's, as far as their credentials reach, or anybody's, where
 * the server brings its own content.
 */
export type Authors = 'own' | 'any';
export interface Pushed {
  results: {
    id: string;
    status: 'applied' | 'duplicate' | 'quarantined';
    seq: number;
    quarantined: number[];
  }[];
  position: LogPosition;
  /** Clock value of the oldest change that was new, or null. */
  oldest: string | null;
}
export interface Witness {
  epoch: string;
  seq: number;
  chain: string;
}

/**
 * A link to another server is stored as one row. These three values say whether that row is still
 * the one that was read (R3).
 */
export interface LinkKey {
  boot: string;
  gen: number;
  rev: number;
}
/**
 * A link as it is stored: what the rules of `sync/link.ts` work on, and what is shown of it to a
 * person.
 */
export interface LinkRow extends SyncLink {
  /** When both sides were last found equal, and the position of this log at that time. */
  verified_at: string | null;
  verified_seq: number;
  last_ok: string | null;
  problem: string | null;
  state: 'open' | 'parked' | 'stopped';
}

/**
 * A page of another server's log: its changes, each with the user who sent it there, and the link's
 * row before and after it is stored.
 */
export interface ReceivedPage {
  changes: readonly (WireChange & { actor: string; sent_by?: Sender | undefined })[];
  link: { from: LinkKey | undefined; to: LinkRow };
}

export interface Received extends Pushed {
  link: LinkRow;
}

/** The part of a log that is still to be sent to the other server. */
export interface Tail {
  changes: (WireChange & {
    seq: number;
    /** The user who made it here; null where another server did. */ actor: string | null;
  })[];
  /** All changes up to this position were considered. */
  to: number;
  more: boolean;
}

export interface LogReader {
  /** A mark that changes whenever any log of the account changes. */
  moved(account: string): Promise<string>;
  /** The same mark for several accounts. */
  marks(accounts: readonly string[]): Promise<Map<string, string>>;
  lengths(account: string): Promise<{ name: string; seq: number }[]>;
  positions(
    account: string,
    after: string | undefined,
  ): Promise<{
    cases: {
      case_uid: string;
      seq: number;
      chain: string;
      project_id: string | null;
      runs: number;
    }[];
    next: string | null;
  }>;
  missing(
    account: string,
    stream: string,
    ids: readonly string[],
    witness: Witness | undefined,
  ): Promise<{ missing: string[]; position: LogPosition }>;
  ancestor(
    account: string,
    stream: string,
    points: readonly { seq: number; chain: string }[],
  ): Promise<{ seq: number; chain: string }>;
  /**
   * Counts and sums of the log's change ids, grouped by the first bits of the ids' hashes.
   * `buckets` is a power of two up to 65,536.
   */
  digest(
    account: string,
    stream: string,
    buckets: number,
  ): Promise<{ seq: number; buckets: { count: number; sum: string }[] }>;
  /**
   * Throws not_found, or diverged where the client's witness names a position that this log never
   * had.
   */
  changes(
    account: string,
    stream: string,
    after: number,
    limit: number,
    witness: Witness | undefined,
  ): Promise<{
    changes: LogChange[];
    from: number;
    to: number;
    chain: string;
    more: boolean;
    position: LogPosition;
  }>;
  /**
   * Changes after a position, without those that arrived over the link `notOrigin`. At most `limit`
   * changes and `bytes` bytes, but always one if there is any.
   */
  tail(
    account: string,
    stream: string,
    after: number,
    options: { notOrigin: string | null; limit: number; bytes: number },
  ): Promise<Tail>;
  links(account: string): Promise<{ stream: string; link: LinkRow }[]>;
  position(account: string, stream: string): Promise<LogPosition | undefined>;
  /**
   * Ids of the changes between two positions, without those that arrived over the link `notOrigin`:
   * they are offered to the other side before the changes themselves are sent.
   */
  ids(
    account: string,
    stream: string,
    after: number,
    to: number,
    options: { notOrigin: string; limit: number },
  ): Promise<{ seq: number; id: string }[]>;
  at(
    account: string,
    stream: string,
    seqs: readonly number[],
  ): Promise<(WireChange & { seq: number })[]>;
  /** The number of items, and the JSON text of a `SnapshotChunk` (contract/sync.ts). */
  snapshot(
    account: string,
    query: MatrixQuery & { after: string | undefined },
    witness?: Witness,
    keys?: boolean,
  ): Promise<{ n: number; text: string }>;
}

export interface LogWriter extends LogReader {
  push(
    actor: Actor,
    stream: string,
    changes: readonly WireChange[],
    witness: Witness | undefined,
    authors?: Authors,
  ): Promise<Pushed>;
  /**
   * Like `push`, for changes that a link fetched. Returns undefined and changes nothing if the
   * link's row is no longer `link.from`.
   */
  receive(account: string, stream: string, page: ReceivedPage): Promise<Received | undefined>;
  /**
   * Replaces the link's row by `to` if it is still `from`; returns whether it was. Creates the
   * stream if there is none.
   */
  moveLink(
    account: string,
    stream: string,
    from: LinkKey | undefined,
    to: LinkRow,
  ): Promise<boolean>;
}
