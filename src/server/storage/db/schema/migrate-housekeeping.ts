import type { SqlWords } from './sql-words.ts';

/** 0 where lists show the record, 1 where it is archived, 2 where it is deleted. */
const LISTED = 'CASE WHEN deleted = 1 THEN 2 WHEN archived = 1 THEN 1 ELSE 0 END';

/**
 * What people have put away: archived cases and projects, hidden runs, retired profiles. The
 * indexes of lists lead to what a list shows, so that a page costs the same however much is
 * archived or deleted.
 */
export function housekeeping({ int, text, stored, clustered, guardByNumber }: SqlWords): string[] {
  return [
    ...['cases', 'projects'].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN archived ${int} NOT NULL DEFAULT 0 CHECK (archived IN (0, 1))`,
      `ALTER TABLE ${table} ADD COLUMN listed ${int} GENERATED ALWAYS AS (${LISTED}) ${stored}`,
    ]),
    // Unknown of what was there before: whatever has been recorded since comes before it.
    `ALTER TABLE cases ADD COLUMN active_at ${text} NOT NULL DEFAULT ''`,
    ...indexes('cases', 'of_account', 'account', CASE_ORDERS, 'case_pk'),
    ...indexes('cases', 'of_project', 'account, project_id', CASE_ORDERS, 'case_pk'),
    ...indexes('projects', 'of_account', 'account', ['list_key', 'updated_at'], 'project_pk'),
    `DROP INDEX cases_of_profile`,
    `CREATE INDEX cases_of_profile ON cases (account, profile_uid, profile_version, listed,
      updated_at, case_pk)`,
    `CREATE TABLE hidden_runs (account ${int} NOT NULL REFERENCES account_marks,
      run_uid ${text} NOT NULL, case_uid ${text} NOT NULL,
      CONSTRAINT hidden_runs_key PRIMARY KEY (account, run_uid, case_uid))${clustered}`,
    `CREATE TABLE retired_profiles (account ${int} NOT NULL REFERENCES account_marks,
      profile_uid ${text} NOT NULL,
      CONSTRAINT retired_profiles_key PRIMARY KEY (account, profile_uid))${clustered}`,
    ...guardByNumber(['hidden_runs', 'retired_profiles']),
  ];
}

const CASE_ORDERS = ['title_key', 'updated_at', 'active_at'];

/** One for each order of a list; those that there were are made again. */
function indexes(
  table: string,
  name: string,
  leading: string,
  orders: readonly string[],
  key: string,
): string[] {
  return ['', ...orders].flatMap((column) => {
    const index = `${table}_${name}${column === '' ? '' : `_${column}`}`;
    const columns = [leading, 'listed', ...(column === '' ? [] : [column]), key].join(', ');
    return [
      ...(column === 'active_at' ? [] : [`DROP INDEX ${index}`]),
      `CREATE INDEX ${index} ON ${table} (${columns})`,
    ];
  });
}
