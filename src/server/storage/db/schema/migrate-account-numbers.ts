import { copiedLogs, logIndexes, LOGS, numberedLogs } from './numbered-logs.ts';
import { copiedMatrices, MATRICES, matrixIndexes, numberedMatrices } from './numbered-matrices.ts';
import { copiedRecords, numberedRecords, recordIndexes, RECORDS } from './numbered-records.ts';
import { copiedRuns, numberedRuns, runIndexes, RUNS, UNCHANGED_RUNS } from './numbered-runs.ts';
import type { SqlWords } from './sql-words.ts';

/** A table comes after those that it refers to. */
const TABLES = [...LOGS, ...RECORDS, ...MATRICES, ...RUNS];

/**
 * Rows carry the number of their account, which leads every key: whose a row is takes no look into
 * another table.
 */
export function accountNumbers(w: SqlWords): string[] {
  return [
    ...w.forEveryAccount(),
    ...w.numberAccounts(),
    // A server of before may work beside this one, and its names of rules are everybody's.
    `ALTER TABLE rule_names RENAME TO rules`,
    ...accountMarks(w),
    ...['changes', ...UNCHANGED_RUNS].flatMap((table) => w.thaw(table)),
    ...TABLES.map((table) => `ALTER TABLE ${table} RENAME TO previous_${table}`),
    ...numberedLogs(w),
    ...numberedRecords(w),
    ...numberedMatrices(w),
    ...numberedRuns(w),
    ...copiedLogs(w),
    ...copiedRecords(w),
    ...copiedMatrices(w),
    ...copiedRuns(w),
    ...TABLES.toReversed().map((table) => `DROP TABLE previous_${table}`),
    ...logIndexes(w),
    ...recordIndexes(),
    ...matrixIndexes(w),
    ...runIndexes(w),
    ...w.guardByNumber(TABLES),
    ...w.withoutTriggers('audit_events'),
    ...w.withoutTriggers('profiles', ['published', 'borrowed']),
  ];
}

/** The row of each account that its tables' rows refer to. */
const accountMarks = ({ int, text, clustered, guard }: SqlWords): string[] => [
  `CREATE TABLE account_marks (account ${int} NOT NULL CONSTRAINT account_marks_key PRIMARY KEY,
    moved ${text} NOT NULL DEFAULT '')${clustered}`,
  `INSERT INTO account_marks (account, moved) SELECT account, moved FROM accounts`,
  `ALTER TABLE accounts DROP COLUMN moved`,
  ...guard(['account_marks']),
];
