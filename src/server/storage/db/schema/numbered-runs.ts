import { copyOfAccounts } from './numbered-logs.ts';
import type { SqlWords } from './sql-words.ts';

/** Runs and what they are of, requests that may be repeated, and usage. */
export const RUNS = [
  'runs',
  'first_runs',
  'run_contents',
  'run_recorders',
  'run_counts',
  'awaited_runs',
  'owed_runs',
  'damaged_contents',
  'manifest_copies',
  'blobs',
  'uploads',
  'idempotency',
  'usage_events',
  'usage_months',
] as const;
/** Of these, those whose rows are never changed. */
export const UNCHANGED_RUNS = [
  'runs',
  'run_contents',
  'run_recorders',
  'manifest_copies',
  'blobs',
] as const;

export const numberedRuns = (w: SqlWords): string[] => [
  ...runTables(w),
  ...contentTables(w),
  ...usageTables(w),
];

/** What first runs have beside their record stands in `runs`, too. */
function runTables({ int, text, numbered, strict, clustered }: SqlWords): string[] {
  const account = `account ${int} NOT NULL REFERENCES account_marks`;
  return [
    `CREATE TABLE runs (${account}, run_pk ${numbered}, run_uid ${text} NOT NULL,
      case_uid ${text} NOT NULL, project_id ${text} NOT NULL, profile_uid ${text} NOT NULL,
      profile_version ${text} NOT NULL, content_hash ${text} NOT NULL, entry ${text} NOT NULL,
      created_at ${text} NOT NULL, CONSTRAINT runs_key PRIMARY KEY (account, run_pk),
      CONSTRAINT runs_by_uid UNIQUE (account, run_uid, content_hash))${clustered}`,
    `CREATE TABLE first_runs (${account}, run_uid ${text} NOT NULL, content_hash ${text} NOT NULL,
      json ${text} NOT NULL, CONSTRAINT first_runs_key PRIMARY KEY (account, run_uid))${strict}`,
    `CREATE TABLE run_counts (${account}, case_uid ${text} NOT NULL,
      runs ${int} NOT NULL CHECK (runs >= 0),
      CONSTRAINT run_counts_key PRIMARY KEY (account, case_uid))${clustered}`,
    `CREATE TABLE awaited_runs (${account}, run_uid ${text} NOT NULL,
      content_hash ${text} NOT NULL, case_uid ${text} NOT NULL,
      CONSTRAINT awaited_runs_key PRIMARY KEY (account, run_uid, content_hash))${clustered}`,
    `CREATE TABLE owed_runs (${account}, run_uid ${text} NOT NULL, code ${text} NOT NULL,
      at ${text} NOT NULL, CONSTRAINT owed_runs_key PRIMARY KEY (account, run_uid))${clustered}`,
  ];
}

function contentTables({ int, text, blob, strict }: SqlWords): string[] {
  const account = `account ${int} NOT NULL REFERENCES account_marks`;
  const packed = `packed ${blob} NOT NULL`;
  const sha256 = `sha256 ${text} NOT NULL CHECK (length(sha256) = 64)`;
  return [
    `CREATE TABLE run_contents (${account}, content_hash ${text} NOT NULL, ${packed},
      reproduced ${int} NOT NULL CHECK (reproduced IN (0, 1)),
      CONSTRAINT run_contents_key PRIMARY KEY (account, content_hash))${strict}`,
    `CREATE TABLE run_recorders (${account}, run_uid ${text} NOT NULL,
      content_hash ${text} NOT NULL, ${packed},
      CONSTRAINT run_recorders_key PRIMARY KEY (account, run_uid, content_hash))${strict}`,
    `CREATE TABLE damaged_contents (${account}, content_hash ${text} NOT NULL,
      found_at ${text} NOT NULL,
      CONSTRAINT damaged_contents_key PRIMARY KEY (account, content_hash))${strict}`,
    `CREATE TABLE manifest_copies (${account}, content_hash ${text} NOT NULL,
      came_at ${text} NOT NULL, ${packed},
      CONSTRAINT manifest_copies_key PRIMARY KEY (account, content_hash, came_at))${strict}`,
    // A copy that was damaged on disk stays, and a good one is put beside it.
    `CREATE TABLE blobs (${account}, ${sha256}, copy ${int} NOT NULL, ${packed},
      CONSTRAINT blobs_key PRIMARY KEY (account, sha256, copy))${strict}`,
    `CREATE TABLE uploads (${account}, ${sha256}, ${packed}, put_at ${text} NOT NULL,
      CONSTRAINT uploads_key PRIMARY KEY (account, sha256))${strict}`,
  ];
}

function usageTables({ int, text, numbered, strict, clustered }: SqlWords): string[] {
  const account = `account ${int} NOT NULL REFERENCES account_marks`;
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE idempotency (${account}, operation ${text} NOT NULL, key ${text} NOT NULL,
      body_digest ${text} NOT NULL, status ${int} NOT NULL, headers ${text} NOT NULL,
      body ${text} NOT NULL, ${whole('created_ms')},
      CONSTRAINT idempotency_key PRIMARY KEY (account, operation, key))${strict}`,
    `CREATE TABLE usage_events (${account}, event_pk ${numbered}, at ${text} NOT NULL,
      action ${text} NOT NULL, resource ${text}, key_id ${text}, status ${int} NOT NULL,
      CONSTRAINT usage_events_key PRIMARY KEY (account, event_pk))${clustered}`,
    `CREATE TABLE usage_months (${account}, month ${text} NOT NULL, ${whole('requests')},
      ${whole('cells_written')}, ${whole('runs')},
      CONSTRAINT usage_months_key PRIMARY KEY (account, month))${clustered}`,
  ];
}

export const runIndexes = (w: SqlWords): string[] => [
  ...['case_uid', 'content_hash', 'project_id', 'profile_uid'].map(
    (column) =>
      `CREATE INDEX runs_by_${column.replace(/_(uid|hash|id)$/, '')} ON runs
        (account, ${column}, run_pk)`,
  ),
  `CREATE INDEX uploads_by_time ON uploads (account, put_at)`,
  `CREATE INDEX idempotency_by_age ON idempotency (account, created_ms)`,
  ...UNCHANGED_RUNS.flatMap((table) => w.appendOnly(table)),
];

const COPIED: Readonly<Record<(typeof RUNS)[number], string>> = {
  runs:
    'run_pk, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, entry, ' +
    'created_at',
  first_runs: 'run_uid, content_hash, json',
  run_contents: 'content_hash, packed, reproduced',
  run_recorders: 'run_uid, content_hash, packed',
  run_counts: 'case_uid, runs',
  awaited_runs: 'run_uid, content_hash, case_uid',
  owed_runs: 'run_uid, code, at',
  damaged_contents: 'content_hash, found_at',
  manifest_copies: 'content_hash, came_at, packed',
  blobs: 'sha256, copy, packed',
  uploads: 'sha256, packed, put_at',
  idempotency: 'operation, key, body_digest, status, headers, body, created_ms',
  usage_events: 'event_pk, at, action, resource, key_id, status',
  usage_months: 'month, requests, cells_written, runs',
};

export const copiedRuns = (w: SqlWords): string[] => [
  ...RUNS.map((table) => copyOfAccounts(table, COPIED[table])),
  ...w.continueNumbering('runs', 'run_pk'),
  ...w.continueNumbering('usage_events', 'event_pk'),
];
