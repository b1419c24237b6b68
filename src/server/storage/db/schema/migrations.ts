import { endedAccess } from './migrate-access.ts';
import { listsInOrder } from './migrate-lists.ts';
import { matrixState } from './migrate-matrix-state.ts';
import { profilesByDigest } from './migrate-profiles.ts';
import { recordedBy } from './migrate-recorded-by.ts';
import { exchangeMigration } from './migrate-exchange.ts';
import { runCheckMigration } from './migrate-run-check.ts';
import { triedPasswords } from './migrate-tried-passwords.ts';
import { runRecorders } from './migrate-run-recorders.ts';
import { senders } from './migrate-senders.ts';
import { GUARDED_FIRST } from './row-security.ts';
import type { SqlWords } from './sql-words.ts';

/**
 * Forward only: entry n takes a store from version n to n + 1. Never edit one that was released.
 */
export const MIGRATIONS: readonly ((words: SqlWords) => string[])[] = [
  first,
  second,
  third,
  fourth,
  recordedBy,
  matrixState,
  exchangeMigration,
  runCheckMigration,
  profilesByDigest,
  senders,
  endedAccess,
  triedPasswords,
  runRecorders,
  listsInOrder,
];

function first(w: SqlWords): string[] {
  return [
    ...firstAccounts(w),
    ...firstLogs(w),
    ...firstRecords(w),
    ...firstProfiles(w),
    ...firstUsage(w),
  ];
}

function firstAccounts(w: SqlWords): string[] {
  const { text } = w;
  return [
    `CREATE TABLE meta (key ${text} PRIMARY KEY, value ${text} NOT NULL)${w.clustered}`,
    `CREATE TABLE accounts (account_id ${text} PRIMARY KEY, name ${text} NOT NULL, created_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE users (user_id ${text} PRIMARY KEY, name ${text} NOT NULL, created_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE members (account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL REFERENCES users,
      role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')), PRIMARY KEY (account_id, user_id))${w.clustered}`,
    `CREATE TABLE api_keys (key_id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL REFERENCES users, name ${text} NOT NULL,
      prefix ${text} NOT NULL, scopes ${text} NOT NULL CHECK (${w.isJson('scopes')}), created_at ${text} NOT NULL, last_used_at ${text}, expires_at ${text}, revoked_at ${text},
      mac ${text} NOT NULL CHECK (length(mac) = 64))${w.strict}`,
    `CREATE INDEX api_keys_by_account ON api_keys (account_id)`,
    `CREATE TABLE sessions (hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL, user_name ${text} NOT NULL, expires_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE sign_in_links (hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL, expires_at ${text} NOT NULL)${w.strict}`,
  ];
}

function firstLogs(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE streams (stream_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, name ${text} NOT NULL, ${whole('seq')}, chain ${text} NOT NULL CHECK (length(chain) = 64),
      ${whole('count')}, sum ${text} NOT NULL CHECK (length(sum) = 64), hlc ${text} NOT NULL, UNIQUE (account_id, name), CHECK (count = seq))${w.strict}`,
    `CREATE TABLE changes (stream_pk ${int} NOT NULL REFERENCES streams, seq ${int} NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991), change_id ${text} NOT NULL CHECK (length(change_id) = 46),
      text ${text}, packed ${w.blob}, chain ${text} NOT NULL, hlc ${text} NOT NULL, wall ${text} NOT NULL, received_at ${text} NOT NULL, actor ${text} NOT NULL, author ${text} NOT NULL,
      author_kind ${text} NOT NULL CHECK (author_kind IN ('human', 'agent', 'import')), key_id ${text}, why ${text}, ${flag('relayed')}, ${flag('clock_suspect')}, quarantined ${text},
      PRIMARY KEY (stream_pk, seq), UNIQUE (stream_pk, change_id), CHECK ((text IS NULL) <> (packed IS NULL)))${w.strict}`,
    ...w.freeze('changes'),
    `CREATE TABLE registers (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL, head_seq ${int} NOT NULL, head_index ${int} NOT NULL, PRIMARY KEY (stream_pk, reg))${w.clustered}`,
    `CREATE TABLE extra_heads (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL, seq ${int} NOT NULL, idx ${int} NOT NULL, PRIMARY KEY (stream_pk, reg, seq, idx))${w.clustered}`,
    `CREATE TABLE cited (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL, name ${text} NOT NULL, PRIMARY KEY (stream_pk, reg, name))${w.clustered}`,
  ];
}

function firstRecords(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const stamps = `version ${int} NOT NULL DEFAULT 1 CHECK (version BETWEEN 1 AND 9007199254740991), created_at ${text} NOT NULL, updated_at ${text} NOT NULL`;
  return [
    `CREATE TABLE projects (project_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, project_id ${text} NOT NULL, name ${text} NOT NULL, name_key ${text} NOT NULL,
      description ${text} NOT NULL, domain ${text} NOT NULL, ${flag('deleted')}, ${stamps}, UNIQUE (account_id, project_id))${w.strict}`,
    `CREATE INDEX projects_by_name ON projects (account_id, name_key)`,
    `CREATE TABLE cases (case_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, case_uid ${text} NOT NULL, stream_pk ${int} NOT NULL REFERENCES streams, project_id ${text} NOT NULL,
      title ${text} NOT NULL, description ${text} NOT NULL, case_type ${text} NOT NULL, metadata ${text} NOT NULL CHECK (${w.isJson('metadata')}), profile_uid ${text}, profile_version ${text},
      item_rows ${int} NOT NULL DEFAULT 0, item_count ${int} NOT NULL DEFAULT 0, ${flag('deleted')}, ${stamps}, UNIQUE (account_id, case_uid))${w.strict}`,
    `CREATE INDEX cases_by_account ON cases (account_id, case_pk)`,
    `CREATE INDEX cases_by_project ON cases (account_id, project_id, case_pk)`,
    `CREATE UNIQUE INDEX cases_by_stream ON cases (stream_pk)`,
    `CREATE TABLE items (item_pk ${w.serial}, case_pk ${int} NOT NULL REFERENCES cases, item_uid ${text} NOT NULL, item_type ${text} NOT NULL DEFAULT 'item', label ${text} NOT NULL DEFAULT '',
      metadata ${text} NOT NULL DEFAULT '{}' CHECK (${w.isJson('metadata')}), position ${w.real} NOT NULL, ${flag('deleted')}, heads ${text} NOT NULL, ${stamps}, UNIQUE (case_pk, item_uid))${w.strict}`,
    `CREATE INDEX items_in_order ON items (case_pk, position, item_uid)`,
    `CREATE TABLE rule_names (rule_pk ${w.serial}, rule_uid ${text} NOT NULL UNIQUE)${w.strict}`,
    `CREATE TABLE matrices (matrix_pk ${w.serial}, case_pk ${int} NOT NULL REFERENCES cases, profile_uid ${text} NOT NULL, profile_version ${text} NOT NULL, UNIQUE (case_pk, profile_uid, profile_version))${w.strict}`,
    `CREATE TABLE tallies (matrix_pk ${int} NOT NULL REFERENCES matrices, rule_pk ${int} NOT NULL REFERENCES rule_names, n_false ${int} NOT NULL, n_true ${int} NOT NULL, n_na ${int} NOT NULL,
      PRIMARY KEY (matrix_pk, rule_pk))${w.clustered}`,
    // No foreign keys here: three look-ups a cell would cost more than the cell. The log is the
    // only writer.
    `CREATE TABLE cells (matrix_pk ${int} NOT NULL, item_pk ${int} NOT NULL, rule_pk ${int} NOT NULL, raw ${int} NOT NULL CHECK (raw BETWEEN 0 AND 3), source_value ${text}, provenance ${text}, notes ${text},
      head_seq ${int}, head_index ${int}, notes_seq ${int}, notes_index ${int}, revision ${int} NOT NULL DEFAULT 1, further ${int} NOT NULL DEFAULT 0, contested ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (matrix_pk, item_pk, rule_pk))${w.clustered}`,
  ];
}

function firstProfiles(w: SqlWords): string[] {
  const { text } = w;
  return [
    `CREATE TABLE profiles (profile_pk ${w.serial}, account_id ${text} REFERENCES accounts, profile_uid ${text} NOT NULL, version ${text} NOT NULL, visibility ${text} NOT NULL CHECK (visibility IN ('community', 'private')),
      document ${text} NOT NULL CHECK (${w.isJson('document')}), digest ${text} NOT NULL, entry ${text} NOT NULL CHECK (${w.isJson('entry')}), created_at ${text} NOT NULL, UNIQUE (account_id, profile_uid, version))${w.strict}`,
    `CREATE UNIQUE INDEX profiles_shipped ON profiles (profile_uid, version) WHERE account_id IS NULL`,
    `CREATE UNIQUE INDEX profiles_community ON profiles (profile_uid, version) WHERE account_id IS NOT NULL AND visibility = 'community'`,
    ...w.freeze('profiles'),
    `CREATE TABLE runs (run_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, run_uid ${text} NOT NULL, case_uid ${text} NOT NULL, project_id ${text} NOT NULL, profile_uid ${text} NOT NULL,
      profile_version ${text} NOT NULL, content_hash ${text} NOT NULL, json ${text} NOT NULL, entry ${text} NOT NULL, created_at ${text} NOT NULL, UNIQUE (account_id, run_uid))${w.strict}`,
    `CREATE INDEX runs_by_account ON runs (account_id, run_pk)`,
    `CREATE INDEX runs_by_case ON runs (account_id, case_uid, run_pk)`,
    ...w.freeze('runs'),
  ];
}

function firstUsage(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE idempotency (account_id ${text} NOT NULL REFERENCES accounts, operation ${text} NOT NULL, key ${text} NOT NULL, body_digest ${text} NOT NULL, status ${int} NOT NULL, headers ${text} NOT NULL,
      body ${text} NOT NULL, ${whole('created_ms')}, PRIMARY KEY (account_id, operation, key))${w.strict}`,
    `CREATE INDEX idempotency_by_age ON idempotency (created_ms)`,
    `CREATE TABLE usage_events (event_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, at ${text} NOT NULL, action ${text} NOT NULL, resource ${text}, key_id ${text}, status ${int} NOT NULL)${w.strict}`,
    `CREATE INDEX usage_events_by_account ON usage_events (account_id, event_pk)`,
    `CREATE TABLE usage_months (account_id ${text} NOT NULL REFERENCES accounts, month ${text} NOT NULL, ${whole('requests')}, ${whole('cells_written')}, ${whole('runs')}, PRIMARY KEY (account_id, month))${w.clustered}`,
  ];
}

/**
 * Replication with another server: where its changes came from, the links to it, runs by content;
 * and entries in quarantine may be validated again.
 */
function second(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `ALTER TABLE changes ADD COLUMN origin ${text}`,
    ...w.freezeOnly('changes', [
      'stream_pk',
      'seq',
      'change_id',
      'text',
      'packed',
      'chain',
      'hlc',
      'wall',
      'received_at',
      'actor',
      'author',
      'author_kind',
      'key_id',
      'why',
      'relayed',
      'clock_suspect',
      'origin',
    ]),
    `CREATE INDEX cells_contested ON cells (matrix_pk) WHERE contested <> 0`,
    `CREATE INDEX changes_in_quarantine ON changes (stream_pk, seq) WHERE quarantined IS NOT NULL`,
    `INSERT INTO meta (key, value) VALUES ('schema_judged', '1')`,
    `ALTER TABLE accounts ADD COLUMN moved ${text} NOT NULL DEFAULT ''`,

    `CREATE TABLE uplink (one ${int} PRIMARY KEY CHECK (one = 1), url ${text} NOT NULL, store ${text} NOT NULL, epoch ${text} NOT NULL, user_id ${text} NOT NULL, user_name ${text} NOT NULL,
      role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')), connected_at ${text} NOT NULL, sealed_key ${w.blob}, key_kept ${text} NOT NULL, connected ${int} NOT NULL CHECK (connected IN (0, 1)))${w.strict}`,
    `CREATE TABLE shared_projects (account_id ${text} NOT NULL REFERENCES accounts, project_id ${text} NOT NULL, shared ${int} NOT NULL CHECK (shared IN (0, 1)), PRIMARY KEY (account_id, project_id))${w.clustered}`,
    `CREATE TABLE links (stream_pk ${int} PRIMARY KEY REFERENCES streams, ${whole('gen')}, ${whole('rev')}, boot ${text} NOT NULL, epoch ${text} NOT NULL, ${whole('push_pos')}, ${whole('again_to')}, ${whole('pull_seq')}, pull_chain ${text} NOT NULL,
      ${whole('wit_seq')}, wit_chain ${text} NOT NULL, points ${text} NOT NULL CHECK (${w.isJson('points')}), verified_at ${text}, ${whole('verified_seq')}, last_ok ${text}, problem ${text}, state ${text} NOT NULL CHECK (state IN ('open', 'parked', 'stopped')))${w.strict}`,
    `CREATE TABLE unsendable (stream_pk ${int} NOT NULL REFERENCES streams, seq ${int} NOT NULL, code ${text} NOT NULL, at ${text} NOT NULL, PRIMARY KEY (stream_pk, seq))${w.clustered}`,

    // Runs by content. What the first version stored waits in `first_runs` until it has been cut
    // into chunks.
    ...w.thaw('runs'),
    `ALTER TABLE runs RENAME TO first_runs`,
    `DROP INDEX runs_by_account`,
    `DROP INDEX runs_by_case`,
    `CREATE TABLE runs (run_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts, run_uid ${text} NOT NULL, case_uid ${text} NOT NULL, project_id ${text} NOT NULL, profile_uid ${text} NOT NULL,
      profile_version ${text} NOT NULL, content_hash ${text} NOT NULL, entry ${text} NOT NULL, created_at ${text} NOT NULL, UNIQUE (account_id, run_uid, content_hash))${w.strict}`,
    `INSERT INTO runs (account_id, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, entry, created_at)
      SELECT account_id, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, entry, created_at FROM first_runs ORDER BY run_pk`,
    `CREATE INDEX runs_by_account ON runs (account_id, run_pk)`,
    `CREATE INDEX runs_by_case ON runs (account_id, case_uid, run_pk)`,
    `CREATE INDEX runs_by_content ON runs (account_id, content_hash, run_pk)`,
    ...w.freeze('runs'),
    `CREATE TABLE run_contents (account_id ${text} NOT NULL REFERENCES accounts, content_hash ${text} NOT NULL, packed ${w.blob} NOT NULL, reproduced ${int} NOT NULL CHECK (reproduced IN (0, 1)),
      PRIMARY KEY (account_id, content_hash))${w.strict}`,
    ...w.freeze('run_contents'),
    // A copy that was damaged on disk stays, and a good one is put beside it.
    `CREATE TABLE blobs (account_id ${text} NOT NULL REFERENCES accounts, sha256 ${text} NOT NULL CHECK (length(sha256) = 64), copy ${int} NOT NULL, packed ${w.blob} NOT NULL,
      PRIMARY KEY (account_id, sha256, copy))${w.strict}`,
    ...w.freeze('blobs'),
    `CREATE TABLE awaited_runs (account_id ${text} NOT NULL REFERENCES accounts, run_uid ${text} NOT NULL, content_hash ${text} NOT NULL, case_uid ${text} NOT NULL,
      PRIMARY KEY (account_id, run_uid, content_hash))${w.clustered}`,
  ];
}

/** A hosted server for teams: who did what, who signs in how, invitations, limits of signing in. */
function third(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    // The trail of what belongs to no account has an empty account.
    `CREATE TABLE audit_events (account_id ${text} NOT NULL, ${whole('seq')}, at ${text} NOT NULL, action ${text} NOT NULL, object ${text}, detail ${text} NOT NULL CHECK (${w.isJson('detail')}),
      kind ${text} NOT NULL CHECK (kind IN ('human', 'agent', 'operator', 'server')), user_id ${text}, name ${text} NOT NULL, key_id ${text}, session ${text}, address ${text}, request_id ${text},
      hash ${text} NOT NULL CHECK (length(hash) = 64), PRIMARY KEY (account_id, seq))${w.clustered}`,
    ...w.freeze('audit_events'),
    `CREATE TABLE audit_heads (account_id ${text} PRIMARY KEY, ${whole('seq')}, hash ${text} NOT NULL CHECK (length(hash) = 64))${w.clustered}`,

    // The name that a person signs in with; null for a user that a command made.
    `ALTER TABLE users ADD COLUMN email ${text}`,
    `CREATE UNIQUE INDEX users_by_email ON users (email)`,
    `CREATE TABLE passwords (user_id ${text} PRIMARY KEY REFERENCES users, phc ${text} NOT NULL, changed_at ${text} NOT NULL)${w.clustered}`,
    `ALTER TABLE members ADD COLUMN joined_at ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE members ADD COLUMN last_seen_at ${text}`,
    `UPDATE members SET joined_at = (SELECT created_at FROM users WHERE users.user_id = members.user_id)`,
    `CREATE INDEX members_by_user ON members (user_id)`,

    `ALTER TABLE sessions RENAME TO first_sessions`,
    `CREATE TABLE sessions (hash ${text} PRIMARY KEY, session_id ${text} NOT NULL UNIQUE, account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL REFERENCES users,
      method ${text} NOT NULL CHECK (method IN ('password', 'link')), created_at ${text} NOT NULL, last_seen_at ${text} NOT NULL, confirmed_at ${text} NOT NULL, expires_at ${text} NOT NULL,
      address ${text} NOT NULL, browser ${text} NOT NULL)${w.strict}`,
    `INSERT INTO sessions (hash, session_id, account_id, user_id, method, created_at, last_seen_at, confirmed_at, expires_at, address, browser)
      SELECT hash, 'ses_' || substr(hash, 1, 24), account_id, user_id, 'link', ${w.daysBefore('expires_at', 7)}, ${w.daysBefore('expires_at', 7)}, ${w.daysBefore('expires_at', 7)}, expires_at, '', '' FROM first_sessions`,
    `DROP TABLE first_sessions`,
    `CREATE INDEX sessions_by_user ON sessions (user_id)`,
    `CREATE INDEX sessions_by_expiry ON sessions (expires_at)`,

    // With a user: a link by which that one chooses a password. Else whoever takes it joins.
    `CREATE TABLE invitations (invitation_id ${text} PRIMARY KEY, hash ${text} NOT NULL UNIQUE, account_id ${text} NOT NULL REFERENCES accounts, role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      name ${text}, user_id ${text} REFERENCES users, created_by ${text} REFERENCES users, created_at ${text} NOT NULL, expires_at ${text} NOT NULL)${w.strict}`,
    `CREATE INDEX invitations_by_account ON invitations (account_id, created_at)`,
    `CREATE TABLE setup_tokens (hash ${text} PRIMARY KEY, expires_at ${text} NOT NULL, failures ${int} NOT NULL)${w.strict}`,
    `CREATE TABLE spending (instance_id ${text} NOT NULL, ${whole('turn')}, ${whole('at_ms')}, spent ${text} NOT NULL CHECK (${w.isJson('spent')}), PRIMARY KEY (instance_id, turn))${w.clustered}`,
    `CREATE TABLE sign_in_limits (subject ${text} PRIMARY KEY, failures ${int} NOT NULL, since_ms ${int} NOT NULL)${w.strict}`,

    `CREATE INDEX profiles_by_name ON profiles (profile_uid, version)`,
    // Blobs of runs whose manifest has not come. They become blobs of the account with it, or go.
    `CREATE TABLE uploads (account_id ${text} NOT NULL REFERENCES accounts, sha256 ${text} NOT NULL CHECK (length(sha256) = 64), packed ${w.blob} NOT NULL, put_at ${text} NOT NULL, PRIMARY KEY (account_id, sha256))${w.strict}`,
    `CREATE INDEX uploads_by_time ON uploads (put_at)`,
    // Runs whose content the hosted server has not taken: offered again now and then.
    `CREATE TABLE owed_runs (account_id ${text} NOT NULL REFERENCES accounts, run_uid ${text} NOT NULL, code ${text} NOT NULL, at ${text} NOT NULL, PRIMARY KEY (account_id, run_uid))${w.clustered}`,

    ...w.guard(Object.keys(GUARDED_FIRST) as (keyof typeof GUARDED_FIRST)[]),
  ];
}

/** Rows of one case are checked together; an index that nothing reads goes. */
function fourth(w: SqlWords): string[] {
  return [...w.guardAtHand(), `DROP INDEX profiles_by_name`];
}
