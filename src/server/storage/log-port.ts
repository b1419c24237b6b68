import type { WireChange } from '../../shared/contract/sync.ts';
import type { LinkRow as SyncLink } from '../../sync/link.ts';
import type { Actor } from './actor.ts';

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
  quarantined: number[];
}
export interface Pushed {
  results: { id: string; status: 'applied' | 'duplicate' | 'quarantined'; seq: number; quarantined: number[] }[];
  position: LogPosition;
  /** Clock value of the oldest change that was new, or null. */
  oldest: string | null;
}
export interface Witness {
  epoch: string;
  seq: number;
  chain: string;
}

/** A link to another server is its row; these three say whether it is still the same (R3). */
export interface LinkKey {
  boot: string;
  gen: number;
  rev: number;
}
/** A link as it is kept: what its rules work on, and what a person is told of it. */
export interface LinkRow extends SyncLink {
  /** When both sides were last found equal, and this log's position then. */
  verified_at: string | null;
  verified_seq: number;
  last_ok: string | null;
  problem: string | null;
  state: 'open' | 'parked' | 'stopped';
}

/** Changes of another server's log with who sent them there, and what the link becomes by receiving them. */
export interface ReceivedPage {
  changes: readonly (WireChange & { actor: string })[];
  link: { from: LinkKey | undefined; to: LinkRow };
}

export interface Received extends Pushed {
  link: LinkRow;
}

/** What of a log is to be sent on. */
export interface Tail {
  changes: (WireChange & { seq: number; /** The user who made it here; null where another server did. */ actor: string | null })[];
  /** Every change up to here was looked at. */
  to: number;
  more: boolean;
}

export interface LogReader {
  /** Equal while nothing in the account's logs has moved. */
  moved(account: string): Promise<string>;
  /** The same of many accounts. */
  marks(accounts: readonly string[]): Promise<Map<string, string>>;
  lengths(account: string): Promise<{ name: string; seq: number }[]>;
  positions(account: string, after: string | undefined): Promise<{ cases: { case_uid: string; seq: number; chain: string; project_id: string | null; runs: number }[]; next: string | null }>;
  missing(account: string, stream: string, ids: readonly string[], witness: Witness | undefined): Promise<{ missing: string[]; position: LogPosition }>;
  ancestor(account: string, stream: string, points: readonly { seq: number; chain: string }[]): Promise<{ seq: number; chain: string }>;
  /** By the first bits of the ids' hashes; `buckets` is a power of two up to 65,536. */
  digest(account: string, stream: string, buckets: number): Promise<{ seq: number; buckets: { count: number; sum: string }[] }>;
  /** Throws not_found, or diverged where the witness names a position this log never had. */
  changes(account: string, stream: string, after: number, limit: number, witness: Witness | undefined): Promise<{ changes: LogChange[]; from: number; to: number; chain: string; more: boolean; position: LogPosition }>;
  /** Changes after a position but those that came over this very link; at most so many, and so many bytes, but one at least. */
  tail(account: string, stream: string, after: number, options: { notOrigin: string | null; limit: number; bytes: number }): Promise<Tail>;
  links(account: string): Promise<{ stream: string; link: LinkRow }[]>;
  position(account: string, stream: string): Promise<LogPosition | undefined>;
  /** Names of changes between two positions but those that came over this very link, and changes by position: for offering names first. */
  ids(account: string, stream: string, after: number, to: number, options: { notOrigin: string; limit: number }): Promise<{ seq: number; id: string }[]>;
  at(account: string, stream: string, seqs: readonly number[]): Promise<(WireChange & { seq: number })[]>;
  /** How many items, and the JSON text of contract/sync.ts `SnapshotChunk`. */
  snapshot(account: string, query: { case_uid: string; profile_uid: string; profile_version: string | undefined; after: string | undefined }, witness?: Witness): Promise<{ n: number; text: string }>;
}

export interface LogWriter extends LogReader {
  push(actor: Actor, stream: string, changes: readonly WireChange[], witness: Witness | undefined): Promise<Pushed>;
  /** The same for what a link brought; undefined, and nothing changed, where the link has moved since. */
  receive(account: string, stream: string, page: ReceivedPage): Promise<Received | undefined>;
  /** Puts a link's next row by compare-and-set; whether it was put. The stream is made where there is none. */
  moveLink(account: string, stream: string, from: LinkKey | undefined, to: LinkRow): Promise<boolean>;
}
