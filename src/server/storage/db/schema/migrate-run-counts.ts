import type { SqlWords } from './sql-words.ts';

/** How many runs each case has, so that no state of a case's runs is found by counting them. */
export function runCounts({ int, text, clustered, guard, forEveryAccount }: SqlWords): string[] {
  return [
    ...forEveryAccount(),
    `CREATE TABLE run_counts (account_id ${text} NOT NULL REFERENCES accounts,
      case_uid ${text} NOT NULL, runs ${int} NOT NULL CHECK (runs >= 0),
      PRIMARY KEY (account_id, case_uid))${clustered}`,
    `INSERT INTO run_counts (account_id, case_uid, runs)
      SELECT account_id, case_uid, count(*) FROM runs GROUP BY account_id, case_uid`,
    ...guard(['run_counts']),
  ];
}
