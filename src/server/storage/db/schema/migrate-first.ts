import type { SqlWords } from './sql-words.ts';

/** Accounts and keys, the change log, the tables that are views of it, runs, usage. */
export function firstTables(w: SqlWords): string[] {
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
    `CREATE TABLE accounts (account_id ${text} PRIMARY KEY, name ${text} NOT NULL,
      created_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE users (user_id ${text} PRIMARY KEY, name ${text} NOT NULL,
      created_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE members (account_id ${text} NOT NULL REFERENCES accounts,
      user_id ${text} NOT NULL REFERENCES users,
      role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      PRIMARY KEY (account_id, user_id))${w.clustered}`,
    `CREATE TABLE api_keys (key_id ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL REFERENCES users,
      name ${text} NOT NULL, prefix ${text} NOT NULL,
      scopes ${text} NOT NULL CHECK (${w.isJson('scopes')}), created_at ${text} NOT NULL,
      last_used_at ${text}, expires_at ${text}, revoked_at ${text},
      mac ${text} NOT NULL CHECK (length(mac) = 64))${w.strict}`,
    `CREATE INDEX api_keys_by_account ON api_keys (account_id)`,
    `CREATE TABLE sessions (hash ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL,
      user_name ${text} NOT NULL, expires_at ${text} NOT NULL)${w.strict}`,
    `CREATE TABLE sign_in_links (hash ${text} PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts, user_id ${text} NOT NULL,
      expires_at ${text} NOT NULL)${w.strict}`,
  ];
}

function firstLogs(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE streams (stream_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts,
      name ${text} NOT NULL, ${whole('seq')}, chain ${text} NOT NULL CHECK (length(chain) = 64),
      ${whole('count')}, sum ${text} NOT NULL CHECK (length(sum) = 64), hlc ${text} NOT NULL,
      UNIQUE (account_id, name), CHECK (count = seq))${w.strict}`,
    `CREATE TABLE changes (stream_pk ${int} NOT NULL REFERENCES streams,
      seq ${int} NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
      change_id ${text} NOT NULL CHECK (length(change_id) = 46), text ${text}, packed ${w.blob},
      chain ${text} NOT NULL, hlc ${text} NOT NULL, wall ${text} NOT NULL,
      received_at ${text} NOT NULL, actor ${text} NOT NULL, author ${text} NOT NULL,
      author_kind ${text} NOT NULL CHECK (author_kind IN ('human', 'agent', 'import')),
      key_id ${text}, why ${text}, ${flag('relayed')}, ${flag('clock_suspect')},
      quarantined ${text}, PRIMARY KEY (stream_pk, seq), UNIQUE (stream_pk, change_id),
      CHECK ((text IS NULL) <> (packed IS NULL)))${w.strict}`,
    ...w.freeze('changes'),
    `CREATE TABLE registers (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL,
      head_seq ${int} NOT NULL, head_index ${int} NOT NULL,
      PRIMARY KEY (stream_pk, reg))${w.clustered}`,
    `CREATE TABLE extra_heads (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL,
      seq ${int} NOT NULL, idx ${int} NOT NULL,
      PRIMARY KEY (stream_pk, reg, seq, idx))${w.clustered}`,
    `CREATE TABLE cited (stream_pk ${int} NOT NULL REFERENCES streams, reg ${text} NOT NULL,
      name ${text} NOT NULL, PRIMARY KEY (stream_pk, reg, name))${w.clustered}`,
  ];
}

function firstRecords(w: SqlWords): string[] {
  const { int, text } = w;
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  const stamps = `version ${int} NOT NULL DEFAULT 1 CHECK (version BETWEEN 1 AND 9007199254740991),
    created_at ${text} NOT NULL, updated_at ${text} NOT NULL`;
  return [
    `CREATE TABLE projects (project_pk ${w.serial},
      account_id ${text} NOT NULL REFERENCES accounts, project_id ${text} NOT NULL,
      name ${text} NOT NULL, name_key ${text} NOT NULL, description ${text} NOT NULL,
      domain ${text} NOT NULL, ${flag('deleted')}, ${stamps},
      UNIQUE (account_id, project_id))${w.strict}`,
    `CREATE INDEX projects_by_name ON projects (account_id, name_key)`,
    `CREATE TABLE cases (case_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts,
      case_uid ${text} NOT NULL, stream_pk ${int} NOT NULL REFERENCES streams,
      project_id ${text} NOT NULL, title ${text} NOT NULL, description ${text} NOT NULL,
      case_type ${text} NOT NULL, metadata ${text} NOT NULL CHECK (${w.isJson('metadata')}),
      profile_uid ${text}, profile_version ${text}, item_rows ${int} NOT NULL DEFAULT 0,
      item_count ${int} NOT NULL DEFAULT 0, ${flag('deleted')}, ${stamps},
      UNIQUE (account_id, case_uid))${w.strict}`,
    `CREATE INDEX cases_by_account ON cases (account_id, case_pk)`,
    `CREATE INDEX cases_by_project ON cases (account_id, project_id, case_pk)`,
    `CREATE UNIQUE INDEX cases_by_stream ON cases (stream_pk)`,
    `CREATE TABLE items (item_pk ${w.serial}, case_pk ${int} NOT NULL REFERENCES cases,
      item_uid ${text} NOT NULL, item_type ${text} NOT NULL DEFAULT 'item',
      label ${text} NOT NULL DEFAULT '',
      metadata ${text} NOT NULL DEFAULT '{}' CHECK (${w.isJson('metadata')}),
      position ${w.real} NOT NULL, ${flag('deleted')}, heads ${text} NOT NULL, ${stamps},
      UNIQUE (case_pk, item_uid))${w.strict}`,
    `CREATE INDEX items_in_order ON items (case_pk, position, item_uid)`,
    `CREATE TABLE rule_names (rule_pk ${w.serial}, rule_uid ${text} NOT NULL UNIQUE)${w.strict}`,
    `CREATE TABLE matrices (matrix_pk ${w.serial}, case_pk ${int} NOT NULL REFERENCES cases,
      profile_uid ${text} NOT NULL, profile_version ${text} NOT NULL,
      UNIQUE (case_pk, profile_uid, profile_version))${w.strict}`,
    `CREATE TABLE tallies (matrix_pk ${int} NOT NULL REFERENCES matrices,
      rule_pk ${int} NOT NULL REFERENCES rule_names, n_false ${int} NOT NULL,
      n_true ${int} NOT NULL, n_na ${int} NOT NULL,
      PRIMARY KEY (matrix_pk, rule_pk))${w.clustered}`,
    // No foreign keys here: three look-ups a cell would cost more than the cell. The log is the
    // only writer.
    `CREATE TABLE cells (matrix_pk ${int} NOT NULL, item_pk ${int} NOT NULL,
      rule_pk ${int} NOT NULL, raw ${int} NOT NULL CHECK (raw BETWEEN 0 AND 3),
      source_value ${text}, provenance ${text}, notes ${text}, head_seq ${int}, head_index ${int},
      notes_seq ${int}, notes_index ${int}, revision ${int} NOT NULL DEFAULT 1,
      further ${int} NOT NULL DEFAULT 0, contested ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (matrix_pk, item_pk, rule_pk))${w.clustered}`,
  ];
}

function firstProfiles(w: SqlWords): string[] {
  const { text } = w;
  return [
    `CREATE TABLE profiles (profile_pk ${w.serial}, account_id ${text} REFERENCES accounts,
      profile_uid ${text} NOT NULL, version ${text} NOT NULL,
      visibility ${text} NOT NULL CHECK (visibility IN ('community', 'private')),
      document ${text} NOT NULL CHECK (${w.isJson('document')}), digest ${text} NOT NULL,
      entry ${text} NOT NULL CHECK (${w.isJson('entry')}), created_at ${text} NOT NULL,
      UNIQUE (account_id, profile_uid, version))${w.strict}`,
    `CREATE UNIQUE INDEX profiles_shipped ON profiles (profile_uid, version) WHERE account_id IS NULL`,
    `CREATE UNIQUE INDEX profiles_community ON profiles (profile_uid, version)
      WHERE account_id IS NOT NULL AND visibility = 'community'`,
    ...w.freeze('profiles'),
    `CREATE TABLE runs (run_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts,
      run_uid ${text} NOT NULL, case_uid ${text} NOT NULL, project_id ${text} NOT NULL,
      profile_uid ${text} NOT NULL, profile_version ${text} NOT NULL,
      content_hash ${text} NOT NULL, json ${text} NOT NULL, entry ${text} NOT NULL,
      created_at ${text} NOT NULL, UNIQUE (account_id, run_uid))${w.strict}`,
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
    `CREATE TABLE idempotency (account_id ${text} NOT NULL REFERENCES accounts,
      operation ${text} NOT NULL, key ${text} NOT NULL, body_digest ${text} NOT NULL,
      status ${int} NOT NULL, headers ${text} NOT NULL, body ${text} NOT NULL,
      ${whole('created_ms')}, PRIMARY KEY (account_id, operation, key))${w.strict}`,
    `CREATE INDEX idempotency_by_age ON idempotency (created_ms)`,
    `CREATE TABLE usage_events (event_pk ${w.serial},
      account_id ${text} NOT NULL REFERENCES accounts, at ${text} NOT NULL,
      action ${text} NOT NULL, resource ${text}, key_id ${text},
      status ${int} NOT NULL)${w.strict}`,
    `CREATE INDEX usage_events_by_account ON usage_events (account_id, event_pk)`,
    `CREATE TABLE usage_months (account_id ${text} NOT NULL REFERENCES accounts,
      month ${text} NOT NULL, ${whole('requests')}, ${whole('cells_written')}, ${whole('runs')},
      PRIMARY KEY (account_id, month))${w.clustered}`,
  ];
}
