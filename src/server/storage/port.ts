import type { ErrorCode, ErrorDetail } from '../../shared/contract/errors.ts';
import type { Credential } from '../../shared/contract/rights.ts';
import type { ApiKey, Role, Scope, Usage } from '../../shared/contract/v1/account.ts';
import type {
  Case,
  CaseInput,
  ContestedMatrix,
  DeletedCase,
} from '../../shared/contract/v1/cases.ts';
import type {
  Contested,
  ContestedField,
  EntryWriter,
  Evidence,
  EvidenceReceipt,
  FieldSettling,
  HistoryStep,
  ItemInput,
  OutcomeInput,
} from '../../shared/contract/v1/evidence.ts';
import type {
  CaseDocument,
  CollisionDecision,
  DocumentSettling,
  ProfileCollision,
} from '../../shared/contract/v1/profile-documents.ts';
import type { ProfileEntry } from '../../shared/contract/v1/profiles.ts';
import type {
  ContestedProjectField,
  Project,
  ProjectFieldSettling,
  ProjectInput,
} from '../../shared/contract/v1/projects.ts';
import type { RunCheck } from '../../shared/contract/sync-runs.ts';
import type { RevertInput, RevertReceipt } from '../../shared/contract/v1/reverts.ts';
import type { RunEntry, RunInput } from '../../shared/contract/v1/runs.ts';
import type { ProfileDocument } from '../../shared/domain/profile.ts';
import type { RunTicket } from '../../shared/domain/run-chunks.ts';
import type { RunRecorders } from '../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Actor, MayPublish } from './db/actor.ts';
import type { AuditTrail, AuditWriter } from './db/audit-port.ts';
import type { LogReader, LogWriter } from './log/log-port.ts';
import type { ContentName, ContentState } from './runs/run-check-port.ts';
import type { MatrixQuery } from './db/matrix-query.ts';
import type { PoolState } from './db/session.ts';
import type {
  SessionWriter,
  SetupWriter,
  SignInLimits,
  StoredSession,
  TeamReader,
  TeamWriter,
} from './accounts/team-port.ts';
import type { UplinkReader, UplinkWriter } from './replication/uplink-port.ts';
import type { MonthTotal, Quotas, SpendingPort, UsageEvent } from './db/usage-port.ts';

/**
 * A refusal by the store, with a stable code that the HTTP layer turns into a status. Nothing of
 * the transaction is stored.
 */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export interface Page {
  limit: number;
  /** Opaque: `next_cursor` of the page before; undefined for the first page. */
  cursor: string | undefined;
}
export interface Listed<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * `If-Match` and `If-None-Match: *` of a write: the stored version must be one of these, or the
 * record must be absent. `tags` are the entity tags as they were sent: those of evidence are no
 * versions.
 */
export type Precondition =
  | { versions: readonly number[]; tags?: readonly string[] }
  | 'absent'
  | undefined;

export interface Upserted<T> {
  record: T;
  created: boolean;
}

export interface EvidenceWrite extends MatrixQuery {
  items: readonly ItemInput[];
  outcomes: readonly OutcomeInput[];
  reason: string | undefined;
  /** What becomes of outcomes whose `if_revision` does not hold; `refuse` if not said. */
  on_conflict?: 'refuse' | 'skip' | undefined;
  /**
   * JSON Pointers of items and outcomes in the request, for error details; parallel to the arrays.
   */
  itemPath(index: number): string;
  outcomePath(index: number): string;
}

/** A key as stored: its MAC, never the key. */
export interface StoredKey extends ApiKey {
  account_id: string;
  user_id: string;
  user_name: string;
  /** Whether the operator has ended the access of the person whose key it is. */
  disabled: boolean;
  role: Role;
  mac: Uint8Array;
}

export interface IdempotentAnswer {
  body_digest: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * What can be read. Every look-up names the account: another account's object is treated like one
 * that does not exist.
 */
export interface Reader {
  projects: {
    list(account: string, page: Page): Promise<Listed<Project>>;
    get(account: string, projectId: string): Promise<Project | undefined>;
    /** Contested fields of the project itself. */
    contestedFields(account: string, projectId: string): Promise<ContestedProjectField[]>;
  };
  cases: {
    list(
      account: string,
      filter: { project_id: string | undefined },
      page: Page,
    ): Promise<Listed<Case>>;
    get(account: string, caseUid: string): Promise<Case | undefined>;
    deleted(
      account: string,
      filter: { project_id: string | undefined },
      page: Page,
    ): Promise<Listed<DeletedCase>>;
    /** Matrices with contested cells. */
    contested(
      account: string,
      filter: { project_id: string | undefined },
      page: Page,
    ): Promise<Listed<ContestedMatrix>>;
    /** Contested fields of the case itself. */
    contestedFields(account: string, caseUid: string): Promise<ContestedField[]>;
    /** Which document the matrix of a case is of. */
    document(
      account: string,
      caseUid: string,
      profileUid: string,
      version: string | undefined,
    ): Promise<CaseDocument>;
  };
  profiles: {
    list(account: string, page: Page): Promise<Listed<ProfileEntry>>;
    /** Documents that need an owner's decision. */
    collisions(account: string): Promise<ProfileCollision[]>;
    /**
     * A profile, with its JSON text as it was created. The newest version if none is named; the
     * document of this digest, if that is.
     */
    get(
      account: string,
      profileUid: string,
      version: string | undefined,
      digest?: string,
    ): Promise<{ text: string; document: ProfileDocument; entry: ProfileEntry } | undefined>;
  };
  evidence: {
    /**
     * Throws not_found. `etag` is unquoted and changes with any change of the page's content.
     * `keys`: whether the identifiers of keys are shown; they are if not said.
     */
    page(
      account: string,
      query: MatrixQuery,
      page: Page,
      keys?: boolean,
    ): Promise<{ json: string; etag: string; value(): Evidence }>;
    /** The history of one cell, newest first. */
    history(
      account: string,
      query: MatrixQuery & { item_uid: string; rule_uid: string },
      page: Page,
    ): Promise<Listed<HistoryStep>>;
    contested(account: string, query: MatrixQuery, page: Page): Promise<Listed<Contested>>;
    /** Who wrote these entries of a case's log; entries that it does not hold are left out. */
    writers(account: string, caseUid: string, entries: readonly string[]): Promise<EntryWriter[]>;
  };
  runs: {
    list(
      account: string,
      filter: {
        case_uid: string | undefined;
        project_id: string | undefined;
        profile_uid: string | undefined;
      },
      page: Page,
    ): Promise<Listed<RunEntry>>;
    /**
     * JSON text of the run record. `keys`: whether the identifiers of keys are shown. Throws
     * integrity_error if it no longer hashes to its content_hash.
     */
    get(
      account: string,
      runUid: string,
      contentHash?: string,
      keys?: boolean,
    ): Promise<{ json: string; record: RunRecord } | undefined>;
    /**
     * Who recorded the run's outcomes, as the server that froze it says: null where that is not
     * known, undefined where there is no such run. Throws integrity_error.
     */
    recorders(
      account: string,
      runUid: string,
      contentHash?: string,
      keys?: boolean,
    ): Promise<
      { run_uid: string; content_hash: string; recorders: RunRecorders | null } | undefined
    >;
    /**
     * The contents of the runs with this run_uid, each with its ticket. Usually one; two servers
     * may have given the same run_uid to different contents.
     */
    contents(account: string, runUid: string): Promise<{ content_hash: string; run: RunTicket }[]>;
    /**
     * The manifest (canonical JSON; null where it is damaged) and the runs of a content, with both
     * facts of its verification if `verify` asks for them.
     */
    describe(
      account: string,
      contentHash: string,
      options: { run_uid: string | undefined; verify: boolean },
    ): Promise<
      { manifest: string | null; runs: RunTicket[]; verification: RunCheck | null } | undefined
    >;
    /** Runs that were announced in a log and whose content has not arrived. */
    awaited(
      account: string,
      filter: { case_uid?: string; run_uid?: string },
    ): Promise<{ run_uid: string; content_hash: string; case_uid: string }[]>;
    /**
     * One blob; undefined where it is not stored. Throws integrity_error where it is stored but
     * damaged.
     */
    blob(account: string, name: string): Promise<string | undefined>;
    /**
     * The first of these blobs that are stored undamaged: up to `bytes` together, but at least one.
     */
    blobs(
      account: string,
      names: readonly string[],
      bytes: number,
    ): Promise<[name: string, text: string][]>;
    missingBlobs(account: string, names: readonly string[]): Promise<string[]>;
    /** Which of these contents are not whole here, as far as is known. */
    lacking(account: string, hashes: readonly string[]): Promise<string[]>;
    /**
     * The contents of a case's runs, or of all: those that are here, and those that ought to be.
     */
    states(account: string, caseUid?: string): Promise<ContentState[]>;
    /** For the check that goes through all contents of all accounts. */
    nextContent(after: ContentName): Promise<ContentName | undefined>;
    isWhole(account: string, hash: string): Promise<boolean>;
  };
  keys: {
    /** The keys of everybody in the account, or of one user. */
    list(account: string, userId?: string): Promise<ApiKey[]>;
    byId(keyId: string): Promise<StoredKey | undefined>;
    byIds(keyIds: readonly string[]): Promise<StoredKey[]>;
  };
  /** Mark of the secret that keys are made under. */
  secretMark(): Promise<string | undefined>;
  sessions: {
    byHash(hash: string): Promise<StoredSession | undefined>;
    byHashes(hashes: readonly string[]): Promise<Map<string, StoredSession>>;
  };
  team: TeamReader;
  usage: {
    /** Usage of the account, with the keys of everybody or of one user. */
    summary(account: string, userId?: string): Promise<Usage>;
  };
  auditTrail: AuditTrail;
  uplink: UplinkReader;
  log: LogReader;
}

/**
 * What can be written. Everything is one transaction, which is on disk when `transact` resolves.
 */
export interface Writer extends Reader {
  projectWrites: {
    upsert(
      actor: Actor,
      input: ProjectInput,
      precondition: Precondition,
    ): Promise<Upserted<Project>>;
    settle(
      actor: Actor,
      projectId: string,
      settling: ProjectFieldSettling,
    ): Promise<{
      field: ContestedProjectField['field'];
      value: ContestedProjectField['heads'][number]['value'];
    }>;
  };
  caseWrites: {
    upsert(actor: Actor, input: CaseInput, precondition: Precondition): Promise<Upserted<Case>>;
    /**
     * Settles a contested field of a case. Throws conflict if its heads are not those that are
     * named.
     */
    /**
     * Settles which document a matrix is of. Throws conflict if its heads are not those that are
     * named.
     */
    settleDocument(
      actor: Actor,
      caseUid: string,
      settling: DocumentSettling,
    ): Promise<{ profile_uid: string; profile_version: string; digest: string }>;
    settle(
      actor: Actor,
      caseUid: string,
      settling: FieldSettling,
    ): Promise<Pick<ContestedField, 'field'> & Pick<ContestedField['heads'][number], 'value'>>;
  };
  profileWrites: {
    /**
     * `text` is the document's JSON as received; GET answers with it. `published`: every account of
     * this server sees it from here on. Throws uid_taken, version_conflict.
     */
    create(
      actor: Actor,
      document: ProfileDocument,
      text: string,
      mayPublish: MayPublish,
    ): Promise<Upserted<string> & { published: boolean }>;
    /** Throws not_found, uid_taken, contested_profile. `published`: it was not before. */
    publish(
      account: string,
      profileUid: string,
      version: string,
    ): Promise<{ digest: string; published: boolean }>;
    /** Stores another account's document of the connected server, for the matrices that name it. */
    borrow(account: string, document: ProfileDocument): Promise<void>;
    /** Throws not_found where the document needs no such decision. */
    decide(actor: Actor, decision: CollisionDecision): Promise<void>;
  };
  /**
   * A precondition's `tags` are entity tags of pages of evidence: the matrix must not have changed
   * since.
   */
  evidenceWrites: {
    record(
      actor: Actor,
      write: EvidenceWrite,
      precondition: Precondition,
    ): Promise<EvidenceReceipt>;
    /**
     * Takes back what still stands of changes. Throws insufficient_scope where an agent names what
     * its key did not write.
     */
    revert(actor: Actor, caseUid: string, input: RevertInput): Promise<RevertReceipt>;
  };
  runWrites: {
    /** A precondition's `tags` are entity tags of the evidence that was reviewed. */
    create(
      actor: Actor,
      input: RunInput,
      precondition?: Precondition,
    ): Promise<{ json: string; record: RunRecord; created: boolean }>;
    /** Stores texts under their hashes; returns how many were new. Throws hash_mismatch. */
    putBlobs(
      account: string,
      blobs: readonly (readonly [name: string, text: string])[],
    ): Promise<number>;
    /** Deletes uploaded blobs for which no manifest has come within a week. */
    expireUploads(): Promise<void>;
    /** Notes whether a content is whole here. */
    noteWhole(account: string, hash: string, whole: boolean): Promise<void>;
    /** The content that the check looked at last. */
    checkedTo(next?: ContentName): Promise<ContentName>;
    /**
     * Stores a run from elsewhere, `by` whoever sent it. Throws missing_blobs, hash_mismatch,
     * author_not_allowed, or validation_failed where the content is not that of a run.
     */
    receive(
      account: string,
      contentHash: string,
      manifest: string,
      run: RunTicket,
      by?: Actor,
      recorders?: RunRecorders,
    ): Promise<{ created: boolean; reproduced: boolean }>;
  };
  keyWrites: {
    create(key: {
      key_id: string;
      account_id: string;
      user_id: string;
      name: string;
      prefix: string;
      scopes: Scope[];
      projects?: readonly string[] | null;
      expires_at: string | null;
      mac: Uint8Array;
    }): Promise<ApiKey>;
    letSync(account: string, keyId: string): Promise<ApiKey>;
    revoke(account: string, keyId: string): Promise<ApiKey | undefined>;
    used(keyId: string, at: string): Promise<void>;
  };
  /**
   * Finds the user of this name in the account or makes one, and sets the role if one is given.
   * Throws conflict where the last owner would lose that role.
   */
  userWrites: {
    ensure(
      account: string,
      name: string,
      role: Role | undefined,
    ): Promise<{
      user_id: string;
      name: string;
      role: Role;
      /** The role before. */ former: Role | null;
      created: boolean;
    }>;
  };
  sessionWrites: SessionWriter;
  teamWrites: TeamWriter;
  /** Stores the mark where there is none, or in any case; answers the one that is there now. */
  takeSecretMark(mark: string, replace: boolean): Promise<string>;
  setupWrites: SetupWriter;
  signInLimits: SignInLimits;
  uplinkWrites: UplinkWriter;
  /**
   * Adds a check that runs at the end of the transaction, after everything is written. If it
   * throws, nothing is stored.
   */
  lastly(check: () => Promise<void>): void;
  /**
   * Names the caller: from here on the transaction does what these credentials allow, and refuses
   * the rest.
   */
  serve(credential: Credential): void;
  audit: AuditWriter;
  usageWrites: { add(events: readonly UsageEvent[]): Promise<MonthTotal[]> };
  spending: SpendingPort;
  idempotency: {
    /** A key stands for one request of the account, whatever its operation. */
    find(account: string, key: string): Promise<IdempotentAnswer | undefined>;
    save(account: string, key: string, answer: IdempotentAnswer): Promise<void>;
    /** Deletes answers older than a day. */
    expire(): Promise<void>;
  };
  log: LogWriter;
}

export interface StoreHealth {
  ok: boolean;
  /** Why no write is taken, or null. */
  read_only: string | null;
}

/**
 * Given in place of an account for work that belongs to none: upkeep, and the operator's commands.
 */
export const EVERY_ACCOUNT = '*';

/** Tells that a log has grown to `seq` changes, and how the account's mark has changed. */
export interface Commit {
  account_id: string;
  case_uid: string;
  seq: number;
  mark: { from: string; to: string };
}

/**
 * The store behind a port: SQLite or PostgreSQL. Readers see committed data only and cannot write.
 */
export interface Store {
  engine: 'sqlite' | 'postgres';
  /**
   * True where PostgreSQL's row-level security has no effect, because the database role is a
   * superuser or bypasses it.
   */
  unguarded: boolean;
  /** This store's own identity, and the epoch of its logs. */
  storeId: string;
  epoch: string;
  /**
   * The account and user of a single-user studio, made at its first start. The user changes when
   * the studio is connected to a hosted server.
   */
  readonly local: { account_id: string; account_name: string; user_id: string; user_name: string };
  /**
   * Runs `fn` in a read transaction for an account: PostgreSQL shows it no row of another account.
   * Without an account it sees only what signing in looks up (keys, sessions, users, members). The
   * server's own upkeep names EVERY_ACCOUNT. With a caller's credentials it shows what they reach.
   */
  read<T>(
    fn: (reader: Reader) => Promise<T>,
    account?: string,
    credential?: Credential,
  ): Promise<T>;
  /**
   * A read of a single statement, without a transaction and without an account, such as looking up
   * a key.
   */
  ask<T>(fn: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * `fn` may run again after a serialisation failure (PostgreSQL), so it must be safe to repeat
   * what it does outside the store. Must not be nested.
   */
  transact<T>(fn: (writer: Writer) => Promise<T>, account?: string): Promise<T>;
  /** Called after each commit that grew a log. */
  onCommit(listener: (event: Commit) => void): () => void;
  health(): StoreHealth;
  /** Whether the database answers at present. */
  answers(): Promise<boolean>;
  /** Tells the state of the connection pool, where there is one. */
  pool: (() => PoolState) | undefined;
  /** Writes a consistent copy (SQLite only): checked, fsynced, then renamed into place. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** What a store needs from outside. */
export interface StorePorts {
  clock: { now(): number };
  random: { bytes(length: number): Uint8Array };
  hasher: Hasher;
  /** Version of the application, written into changes and runs. */
  version: string;
  quotas?: Quotas | undefined;
  /** Another schema version than this application's, for tests that play an older or newer one. */
  schema?: number;
}
