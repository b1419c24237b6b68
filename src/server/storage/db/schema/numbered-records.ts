import { copyOfAccounts } from './numbered-logs.ts';
import type { SqlWords } from './sql-words.ts';

/** Cases, projects, and what an account has settled about profiles, behind the account's number. */
export const RECORDS = [
  'projects',
  'cases',
  'shared_projects',
  'profile_choices',
  'profile_decisions',
] as const;

export const numberedRecords = (w: SqlWords): string[] => [...recordTables(w), ...settledTables(w)];

export const copiedRecords = (w: SqlWords): string[] => [
  ...RECORDS.map((table) => copyOfAccounts(table, COPIED[table])),
  ...w.continueNumbering('projects', 'project_pk'),
  ...w.continueNumbering('cases', 'case_pk'),
];

const COPIED: Readonly<Record<(typeof RECORDS)[number], string>> = {
  projects:
    'project_pk, project_id, name, name_key, description, domain, deleted, version, ' +
    'created_at, updated_at',
  cases:
    'case_pk, case_uid, stream_pk, project_id, title, description, case_type, metadata, ' +
    'profile_uid, profile_version, item_rows, item_count, deleted, version, created_at, updated_at',
  shared_projects: 'project_id, shared',
  profile_choices: 'profile_uid, version, digest, contested',
  profile_decisions: 'profile_uid, version, digest, decision, decided_by, decided_at',
};

/**
 * A text as lists order it: A to Z in either case, and only its beginning, so that keys are short.
 */
const beginning = (column: string): string => `lower(substr(${column}, 1, 60))`;

function recordTables(w: SqlWords): string[] {
  const { int, text } = w;
  const rest = `deleted ${int} NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
    version ${int} NOT NULL DEFAULT 1 CHECK (version BETWEEN 1 AND 9007199254740991),
    created_at ${text} NOT NULL, updated_at ${text} NOT NULL`;
  return [
    `CREATE TABLE projects (account ${int} NOT NULL REFERENCES account_marks, project_pk ${w.numbered},
      project_id ${text} NOT NULL, name ${text} NOT NULL, name_key ${text} NOT NULL,
      description ${text} NOT NULL, domain ${text} NOT NULL, ${rest},
      list_key ${text} GENERATED ALWAYS AS (${beginning('name')}) ${w.stored},
      CONSTRAINT projects_key PRIMARY KEY (account, project_pk),
      CONSTRAINT projects_by_id UNIQUE (account, project_id))${w.clustered}`,
    `CREATE TABLE cases (account ${int} NOT NULL, case_pk ${w.numbered}, case_uid ${text} NOT NULL,
      stream_pk ${int} NOT NULL, project_id ${text} NOT NULL,
      title ${text} NOT NULL, description ${text} NOT NULL, case_type ${text} NOT NULL,
      metadata ${text} NOT NULL CHECK (${w.isJson('metadata')}), profile_uid ${text},
      profile_version ${text}, item_rows ${int} NOT NULL DEFAULT 0,
      item_count ${int} NOT NULL DEFAULT 0, ${rest},
      title_key ${text} GENERATED ALWAYS AS (${beginning('title')}) ${w.stored},
      CONSTRAINT cases_key PRIMARY KEY (account, case_pk),
      CONSTRAINT cases_by_uid UNIQUE (account, case_uid),
      CONSTRAINT cases_by_log UNIQUE (account, stream_pk),
      FOREIGN KEY (account, stream_pk) REFERENCES streams)${w.clustered}`,
  ];
}

function settledTables(w: SqlWords): string[] {
  const { int, text } = w;
  return [
    `CREATE TABLE shared_projects (account ${int} NOT NULL REFERENCES account_marks, project_id ${text} NOT NULL,
      shared ${int} NOT NULL CHECK (shared IN (0, 1)),
      CONSTRAINT shared_projects_key PRIMARY KEY (account, project_id))${w.clustered}`,
    `CREATE TABLE profile_choices (account ${int} NOT NULL REFERENCES account_marks, profile_uid ${text} NOT NULL,
      version ${text} NOT NULL, digest ${text} NOT NULL,
      contested ${int} NOT NULL DEFAULT 0 CHECK (contested IN (0, 1)),
      CONSTRAINT profile_choices_key PRIMARY KEY (account, profile_uid, version))${w.clustered}`,
    `CREATE TABLE profile_decisions (account ${int} NOT NULL REFERENCES account_marks, profile_uid ${text} NOT NULL,
      version ${text} NOT NULL, digest ${text} NOT NULL,
      decision ${text} NOT NULL CHECK (decision IN ('keep', 'hide')), decided_by ${text} NOT NULL,
      decided_at ${text} NOT NULL, CONSTRAINT profile_decisions_key
      PRIMARY KEY (account, profile_uid, version, digest))${w.clustered}`,
  ];
}

/** One for each order in which cases and projects are listed. */
export function recordIndexes(): string[] {
  const ordered = (table: string, name: string, leading: string, orders: string[], key: string) =>
    ['', ...orders].map((column) => {
      const columns = [leading, 'deleted', ...(column === '' ? [] : [column]), key].join(', ');
      return `CREATE INDEX ${table}_${name}${column === '' ? '' : `_${column}`} ON ${table} (${columns})`;
    });
  const cases = ['title_key', 'updated_at'];
  return [
    ...ordered('cases', 'of_account', 'account', cases, 'case_pk'),
    ...ordered('cases', 'of_project', 'account, project_id', cases, 'case_pk'),
    `CREATE INDEX cases_of_profile ON cases (account, profile_uid, profile_version, deleted,
      updated_at, case_pk)`,
    `CREATE INDEX projects_by_name ON projects (account, name_key)`,
    ...ordered('projects', 'of_account', 'account', ['list_key', 'updated_at'], 'project_pk'),
  ];
}
