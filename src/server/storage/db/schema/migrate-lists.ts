import type { SqlWords } from './sql-words.ts';

/**
 * A text as lists order it: A to Z in either case, and only its beginning, so that keys are short.
 */
const beginning = (column: string): string => `lower(substr(${column}, 1, 60))`;

/**
 * An index for each order in which cases, projects and runs are listed, so that a page costs the
 * same wherever it begins.
 */
export function listsInOrder({ text, stored }: SqlWords): string[] {
  const casesIn = (name: string, ...leading: string[]): string[] =>
    ['', 'title_key', 'updated_at'].map((column) => {
      const columns = [...leading, 'deleted', ...(column === '' ? [] : [column]), 'case_pk'];
      const index = `cases_${name}${column === '' ? '' : `_${column}`}`;
      return `CREATE INDEX ${index} ON cases (${columns.join(', ')})`;
    });
  return [
    `ALTER TABLE cases ADD COLUMN title_key ${text} GENERATED ALWAYS AS (${beginning('title')}) ${stored}`,
    `ALTER TABLE projects ADD COLUMN list_key ${text} GENERATED ALWAYS AS (${beginning('name')}) ${stored}`,
    `DROP INDEX cases_by_account`,
    `DROP INDEX cases_by_project`,
    ...casesIn('of_account', 'account_id'),
    ...casesIn('of_project', 'account_id', 'project_id'),
    `CREATE INDEX cases_of_profile ON cases (account_id, profile_uid, profile_version, deleted,
      updated_at, case_pk)`,
    `CREATE INDEX projects_of_account ON projects (account_id, deleted, project_pk)`,
    `CREATE INDEX projects_of_account_list_key ON projects (account_id, deleted, list_key, project_pk)`,
    `CREATE INDEX projects_of_account_updated_at ON projects (account_id, deleted, updated_at, project_pk)`,
    `CREATE INDEX runs_by_project ON runs (account_id, project_id, run_pk)`,
    `CREATE INDEX runs_by_profile ON runs (account_id, profile_uid, run_pk)`,
  ];
}
