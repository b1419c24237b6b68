import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import type { Credential } from '../../../shared/contract/rights.ts';
import type { GrownLog } from './grown-log.ts';
import type { Actor } from './actor.ts';
import type { StoredProfile } from './stored-profile.ts';
import type { DatabaseSession } from './session.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import type { AuditEntry, AuditOrigin } from './audit-entry.ts';
import type { OutsideBlobs } from '../blobs/outside-blobs.ts';

/** What repositories need to read. */
export interface ReadContext {
  session: DatabaseSession;
  ports: StorePorts;
  storeId: string;
  epoch: string;
  /** The schema version by which entries are validated. */
  schema: number;
  /** Parsed profile documents by primary key. Documents never change, so each is parsed once. */
  profileCache: Map<number, StoredProfile>;
  /** Whose request this is; undefined for what the server does by itself. */
  credential: Credential | undefined;
}

/** What repositories need to write: one transaction at one moment. */
export interface WriteContext extends ReadContext {
  now: number;
  /** `now` as RFC 3339. */
  at: string;
  /**
   * Numbers of rule names; those of one transaction alone on PostgreSQL, which can be restored from
   * a backup, with other numbers, while this process runs.
   */
  ruleCache: Map<string, number>;
  packs: boolean;
  /** Streams that grew, by `account/name`: their listeners are notified after the commit. */
  grown: Map<string, GrownLog>;
  /** By account: the kinds of records of which it holds more than before, for its quotas. */
  more: Map<AccountId, Set<keyof Quotas>>;
  /**
   * By account: what changed in its logs. It goes into the change token that tells an idle client
   * that nothing has changed.
   */
  changed: Map<AccountId, string>;
  /** For the audit trail: who acts, and what was done so far. */
  auditOrigin: AuditOrigin | undefined;
  audited: { origin: AuditOrigin; entry: AuditEntry }[];
  /** Nothing of the transaction is to be stored, though all of it is done and checked. */
  isDryRun: boolean;
  /** Checks to run at the end of the transaction. */
  beforeCommit: (() => Promise<void>)[];
  /** True where rule names were added: nobody else may use their numbers before the commit. */
  addsRules?: boolean;
  /** The person of this store from this commit on, if that changes. */
  person?: { user_id: UserId; user_name: string };
}

/**
 * Adds a check that runs at the end of the transaction, after everything is written. If it throws,
 * nothing is stored.
 */
export function beforeCommit(ctx: WriteContext, check: () => Promise<void>): void {
  ctx.beforeCommit.push(check);
}

/** From here on it is a dry run: its value is answered, and nothing of it is stored. */
export function beDryRun(ctx: WriteContext): void {
  ctx.isDryRun = true;
}

/**
 * Names the caller: from here on the transaction does what these credentials allow, and refuses
 * the rest.
 */
export function serve(ctx: WriteContext, credential: Credential): void {
  ctx.credential = credential;
}

/** The author's name as histories show it: the key's for an agent, else the person's. */
export function authorName(actor: Actor): string {
  return actor.kind === 'agent' ? (actor.key_name ?? actor.user_name) : actor.user_name;
}

/** What a store needs from outside. */
export interface StorePorts {
  clock: { now(): number };
  random: { bytes(length: number): Uint8Array };
  hasher: Hasher;
  /** Version of the application, written into changes and runs. */
  version: string;
  quotas?: Quotas | undefined;
  /** Keeps blobs outside of the database, where that is configured. */
  outside?: OutsideBlobs | undefined;
  /** Another schema version than this application's, for tests that play an older or newer one. */
  schema?: number;
}

/**
 * The most records of each kind that an account may hold, for the kinds that are limited. What is
 * deleted stays in the log and still counts.
 */
export interface Quotas {
  cases?: number | undefined;
  runs?: number | undefined;
  changes?: number | undefined;
}
