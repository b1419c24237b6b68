import type {
  AccountId,
  CaseUid,
  UserId,
  KeyId,
  ProjectId,
  RunUid,
  ProfileUid,
} from '../../../../shared/contract/ids.ts';
import type { Generated, GeneratedAlways } from 'kysely';
import type {
  AccountTable,
  ApiKeyTable,
  AuditTable,
  InvitationTable,
  SessionTable,
  TrailOwner,
} from './account-tables.ts';
import type { DiscussionTables } from './discussion-tables.ts';
import type { AcceptanceTable, SuggestionTable } from './layer-tables.ts';
import type { NoticeTables } from './notice-tables.ts';
import type { RoundEntryTable, RoundTitleTable } from './round-tables.ts';
import type { CaseStageColumns, SignOffTable, TimeStampTables } from './sign-off-tables.ts';
import type { ChangeTable, LinkTable, StreamTable, UplinkTable } from './log-tables.ts';

/**
 * The tables, the same on both engines. Whole numbers are integers within +-2^53, flags are 0 or 1,
 * JSON is text, times are RFC 3339 UTC text. Columns named `*_pk` never leave the store.
 */
export interface StoreTables extends DiscussionTables, NoticeTables, TimeStampTables {
  meta: { key: string; value: string };
  accounts: AccountTable;
  /**
   * The row of each account that the rows of its tables refer to. `moved` is a hash chained over
   * every change in the account's logs: while it is equal, nothing has changed.
   */
  account_marks: { account: number; moved: Generated<string> };
  users: {
    user_id: UserId;
    name: string;
    created_at: string;
    email: Generated<string | null>;
    disabled_at: Generated<string | null>;
  };
  /** As a PHC string. */
  passwords: { user_id: UserId; phc: string; changed_at: string };
  members: {
    account_id: AccountId;
    user_id: UserId;
    role: string;
    joined_at: string;
    last_seen_at: Generated<string | null>;
  };
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  invitations: InvitationTable;
  /** Tokens of first set-up by hash, while nobody has set up a hosted server. */
  setup_tokens: { hash: string; expires_at: string; failures: number };
  /**
   * Failed sign-ins since a moment, by a hash of the person or address that they are counted for.
   */
  sign_in_limits: { subject: string; failures: number; since_ms: number };
  /** Wrong passwords tried for a person, by a hash of the address; `refused` were not compared. */
  tried_passwords: {
    user_id: UserId;
    subject: string;
    wrong: number;
    refused: number;
    first_at: string;
    last_at: string;
  };
  sign_in_links: { hash: string; account_id: AccountId; user_id: UserId; expires_at: string };
  streams: StreamTable;
  changes: ChangeTable;
  registers: {
    account: number;
    stream_pk: number;
    reg: string;
    head_seq: number;
    head_index: number;
  };
  extra_heads: { account: number; stream_pk: number; reg: string; seq: number; idx: number };
  cited: { account: number; stream_pk: number; reg: string; name: string };
  projects: ProjectTable;
  cases: CaseTable;
  items: ItemTable;
  rules: { account: number; rule_pk: number; rule_uid: string };
  matrices: MatrixTable;
  tallies: {
    account: number;
    matrix_pk: number;
    rule_pk: number;
    n_false: number;
    n_true: number;
    n_na: number;
  };
  cells: CellTable;
  suggestions: SuggestionTable;
  acceptances: AcceptanceTable;
  profiles: ProfileTable;
  /** The account that published a profile under this name first: the name is theirs. */
  profile_owners: { profile_uid: ProfileUid; account_id: AccountId };
  /**
   * Which of several documents a version means in an account; contested where people chose
   * different ones.
   */
  profile_choices: {
    account: number;
    profile_uid: ProfileUid;
    version: string;
    digest: string;
    contested: number;
  };
  /** What owners have decided about documents under a name that is not theirs. */
  profile_decisions: {
    account: number;
    profile_uid: ProfileUid;
    version: string;
    digest: string;
    decision: string;
    decided_by: string;
    decided_at: string;
  };
  runs: RunTable;
  uplink: UplinkTable;
  shared_projects: { account: number; project_id: ProjectId; shared: number };
  links: LinkTable;
  /** Changes that the other server refuses; they stay here. */
  unsendable: {
    account: number;
    stream_pk: number;
    seq: number;
    code: string;
    at: string;
    versions: string | null;
  };
  first_runs: { account: number; run_uid: RunUid; content_hash: string; json: string };
  /** Manifests, and whether their result was reproduced when they arrived here. */
  run_contents: {
    account: number;
    content_hash: string;
    packed: Uint8Array;
    reproduced: number;
  };
  /** Runs that lists leave out. Of a case's log, whatever case the run with this name is of. */
  hidden_runs: { account: number; run_uid: RunUid; case_uid: CaseUid };
  /** Profiles that an account no longer offers. */
  retired_profiles: { account: number; profile_uid: ProfileUid };
  /** How many runs a case has here. */
  run_counts: { account: number; case_uid: CaseUid; runs: number };
  /** Who recorded the outcomes of a run, as the server that froze it says. */
  run_recorders: {
    account: number;
    run_uid: RunUid;
    content_hash: string;
    packed: Uint8Array;
  };
  blobs: { account: number; sha256: string; copy: number; packed: Uint8Array };
  /** Copies of blobs that are kept outside of the database (`storage/blobs`). */
  outside_blobs: { account: number; sha256: string; copy: number };
  /**
   * Damaged contents that a check found, until they are whole; and manifests that were sent again
   * for them.
   */
  damaged_contents: { account: number; content_hash: string; found_at: string };
  manifest_copies: {
    account: number;
    content_hash: string;
    came_at: string;
    packed: Uint8Array;
  };
  /** Uploaded blobs that no manifest names yet. */
  uploads: { account: number; sha256: string; packed: Uint8Array; put_at: string };
  /** Runs that were announced to the hosted server but not accepted there. */
  owed_runs: { account: number; run_uid: RunUid; code: string; at: string };
  /** Runs that were announced but have not arrived here. */
  awaited_runs: { account: number; run_uid: RunUid; content_hash: string; case_uid: CaseUid };
  round_entries: RoundEntryTable;
  sign_offs: SignOffTable;
  round_titles: RoundTitleTable;
  idempotency: {
    account: number;
    operation: string;
    key: string;
    body_digest: string;
    status: number;
    headers: string;
    body: string;
    created_ms: number;
  };
  usage_events: {
    account: number;
    event_pk: number;
    at: string;
    action: string;
    resource: string | null;
    key_id: KeyId | null;
    status: number;
  };
  audit_events: AuditTable;
  /** The last event of each trail: its number and hash. */
  audit_heads: { account_id: TrailOwner; seq: number; hash: string };
  /**
   * Usage of rate limits that instances share: one row for each interval of an instance, JSON by
   * limit and subject.
   */
  spending: { instance_id: string; turn: number; at_ms: number; spent: string };
  usage_months: {
    account: number;
    month: string;
    requests: number;
    cells_written: number;
    runs: number;
  };
}

export interface ProjectTable {
  account: number;
  project_pk: number;
  project_id: ProjectId;
  name: string;
  name_key: string;
  /** The name as lists are ordered by it. */
  list_key: GeneratedAlways<string>;
  description: string;
  domain: string;
  deleted: number;
  archived: Generated<number>;
  /** 0 in lists, 1 archived, 2 deleted. */
  listed: GeneratedAlways<number>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface CaseTable extends CaseStageColumns {
  account: number;
  case_pk: number;
  case_uid: CaseUid;
  stream_pk: number;
  project_id: ProjectId;
  title: string;
  /** The title as lists are ordered by it. */
  title_key: GeneratedAlways<string>;
  description: string;
  case_type: string;
  metadata: string;
  profile_uid: ProfileUid | null;
  profile_version: string | null;
  /** Number of rows of `items`, and of those that are not deleted. */
  item_rows: number;
  item_count: number;
  /** 1 where suggestions and agents' outcomes have to cite. */
  requires_source: Generated<number>;
  deleted: number;
  archived: Generated<number>;
  /** 0 in lists, 1 archived, 2 deleted. */
  listed: GeneratedAlways<number>;
  version: number;
  created_at: string;
  updated_at: string;
  /**
   * When anything was last added to its log here; empty for what was there before that was noted.
   */
  active_at: Generated<string>;
}

export interface ItemTable {
  account: number;
  item_pk: number;
  case_pk: number;
  item_uid: string;
  item_type: string;
  label: string;
  metadata: string;
  position: number;
  deleted: number;
  /** Displayed heads of the item's registers: {"position":[seq,index],...}. */
  heads: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface CellTable {
  account: number;
  matrix_pk: number;
  item_pk: number;
  rule_pk: number;
  /** 0 unrecorded, 1 FALSE, 2 TRUE, 3 NA. */
  raw: number;
  source_value: string | null;
  /** JSON text. */
  provenance: string | null;
  notes: string | null;
  /**
   * Displayed heads of the assertion and of the notes: position in the case's log and index of the
   * entry.
   */
  head_seq: number | null;
  head_index: number | null;
  notes_seq: number | null;
  notes_index: number | null;
  revision: number;
  /**
   * Bit 1: the assertion has more heads than the displayed one (in `extra_heads`); bit 2: the notes
   * have.
   */
  further: number;
  /** The same bits, set where the heads contradict each other. */
  contested: number;
  /** The entry that first recorded the displayed outcome, where an undo brought it back. */
  restores: string | null;
}

export interface MatrixTable {
  account: number;
  matrix_pk: number;
  case_pk: number;
  profile_uid: ProfileUid;
  profile_version: string;
  /**
   * Digest of the document that the matrix uses; null where no document of the version was known
   * when the matrix was made.
   */
  digest: string | null;
  /**
   * 1 where the case's log names the document, 0 where the matrix keeps the one that it was made
   * with here.
   */
  named: Generated<number>;
  /** 1 where the log names several documents. */
  contested: Generated<number>;
}

export interface ProfileTable {
  profile_pk: Generated<number>;
  /** Null for a profile that comes with the application. */
  account_id: AccountId | null;
  profile_uid: ProfileUid;
  version: string;
  visibility: string;
  document: string;
  digest: string;
  /** ProfileEntry without `access`, as JSON. */
  entry: string;
  created_at: string;
  /** 1 where an owner of the account has shown it to every account of this server. */
  published: Generated<number>;
  /**
   * 1 where it is another account's on the server that this one is connected to: it is stored here
   * for the matrices that name it.
   */
  borrowed: Generated<number>;
}

export interface RunTable {
  account: number;
  run_pk: number;
  run_uid: RunUid;
  case_uid: CaseUid;
  project_id: ProjectId;
  profile_uid: ProfileUid;
  profile_version: string;
  content_hash: string;
  /** The record as it appears in lists. */
  entry: string;
  created_at: string;
}

/**
 * Default values of columns, so that a bulk insert need not bind what all of its rows have in
 * common.
 */
export const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cells: {
    source_value: null,
    provenance: null,
    notes: null,
    head_seq: null,
    head_index: null,
    notes_seq: null,
    notes_index: null,
    revision: 1,
    further: 0,
    contested: 0,
    restores: null,
  },
  items: { item_type: 'item', label: '', metadata: '{}', deleted: 0, version: 1 },
};
