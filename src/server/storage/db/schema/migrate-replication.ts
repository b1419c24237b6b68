import type { SqlWords } from './sql-words.ts';

/**
 * Replication with another server: where its changes came from, the links to it, runs by content;
 * and entries in quarantine may be validated again.
 */
export function replication(w: SqlWords): string[] {
  const { text } = w;
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
    ...links(w),
    ...runsByContent(w),
  ];
}

function links(w: SqlWords): string[] {
  const { int, text } = w;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE uplink (one ${int} PRIMARY KEY CHECK (one = 1), url ${text} NOT NULL,
      store ${text} NOT NULL, epoch ${text} NOT NULL, user_id ${text} NOT NULL,
      user_name ${text} NOT NULL,
      role ${text} NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      connected_at ${text} NOT NULL,
      sealed_key ${w.blob}, key_kept ${text} NOT NULL,
      connected ${int} NOT NULL CHECK (connected IN (0, 1)))${w.strict}`,
    `CREATE TABLE shared_projects (account_id ${text} NOT NULL REFERENCES accounts,
      project_id ${text} NOT NULL, shared ${int} NOT NULL CHECK (shared IN (0, 1)),
      PRIMARY KEY (account_id, project_id))${w.clustered}`,
    `CREATE TABLE links (stream_pk ${int} PRIMARY KEY REFERENCES streams, ${whole('gen')},
      ${whole('rev')}, boot ${text} NOT NULL, epoch ${text} NOT NULL, ${whole('push_pos')},
      ${whole('again_to')}, ${whole('pull_seq')}, pull_chain ${text} NOT NULL,
      ${whole('wit_seq')}, wit_chain ${text} NOT NULL,
      points ${text} NOT NULL CHECK (${w.isJson('points')}), verified_at ${text},
      ${whole('verified_seq')}, last_ok ${text}, problem ${text},
      state ${text} NOT NULL CHECK (state IN ('open', 'parked', 'stopped')))${w.strict}`,
    `CREATE TABLE unsendable (stream_pk ${int} NOT NULL REFERENCES streams, seq ${int} NOT NULL,
      code ${text} NOT NULL, at ${text} NOT NULL, PRIMARY KEY (stream_pk, seq))${w.clustered}`,
  ];
}

/** What the first version stored waits in `first_runs` until it has been cut into chunks. */
function runsByContent(w: SqlWords): string[] {
  const { int, text } = w;
  return [
    ...w.thaw('runs'),
    `ALTER TABLE runs RENAME TO first_runs`,
    `DROP INDEX runs_by_account`,
    `DROP INDEX runs_by_case`,
    `CREATE TABLE runs (run_pk ${w.serial}, account_id ${text} NOT NULL REFERENCES accounts,
      run_uid ${text} NOT NULL, case_uid ${text} NOT NULL, project_id ${text} NOT NULL,
      profile_uid ${text} NOT NULL, profile_version ${text} NOT NULL,
      content_hash ${text} NOT NULL, entry ${text} NOT NULL, created_at ${text} NOT NULL,
      UNIQUE (account_id, run_uid, content_hash))${w.strict}`,
    `INSERT INTO runs (account_id, run_uid, case_uid, project_id, profile_uid, profile_version,
      content_hash, entry, created_at)
      SELECT account_id, run_uid, case_uid, project_id, profile_uid, profile_version,
      content_hash, entry, created_at FROM first_runs ORDER BY run_pk`,
    `CREATE INDEX runs_by_account ON runs (account_id, run_pk)`,
    `CREATE INDEX runs_by_case ON runs (account_id, case_uid, run_pk)`,
    `CREATE INDEX runs_by_content ON runs (account_id, content_hash, run_pk)`,
    ...w.freeze('runs'),
    `CREATE TABLE run_contents (account_id ${text} NOT NULL REFERENCES accounts,
      content_hash ${text} NOT NULL, packed ${w.blob} NOT NULL,
      reproduced ${int} NOT NULL CHECK (reproduced IN (0, 1)),
      PRIMARY KEY (account_id, content_hash))${w.strict}`,
    ...w.freeze('run_contents'),
    // A copy that was damaged on disk stays, and a good one is put beside it.
    `CREATE TABLE blobs (account_id ${text} NOT NULL REFERENCES accounts,
      sha256 ${text} NOT NULL CHECK (length(sha256) = 64), copy ${int} NOT NULL,
      packed ${w.blob} NOT NULL, PRIMARY KEY (account_id, sha256, copy))${w.strict}`,
    ...w.freeze('blobs'),
    `CREATE TABLE awaited_runs (account_id ${text} NOT NULL REFERENCES accounts,
      run_uid ${text} NOT NULL, content_hash ${text} NOT NULL, case_uid ${text} NOT NULL,
      PRIMARY KEY (account_id, run_uid, content_hash))${w.clustered}`,
  ];
}
