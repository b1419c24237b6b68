import { copiedMatrices, MATRICES, matrixIndexes, numberedMatrices } from './numbered-matrices.ts';
import { copiedRecords, numberedRecords, recordIndexes, RECORDS } from './numbered-records.ts';
import type { SqlWords } from './sql-words.ts';

/** A table comes after those that it refers to. */
const TABLES = [...RECORDS, ...MATRICES];

/**
 * Rows carry the number of their account, which leads every key: whose a row is takes no look into
 * another table.
 */
export function accountNumbers(w: SqlWords): string[] {
  return [
    ...w.forEveryAccount(),
    ...w.numberAccounts(),
    ...TABLES.map((table) => `ALTER TABLE ${table} RENAME TO previous_${table}`),
    ...numberedRecords(w),
    ...numberedMatrices(w),
    ...copiedRecords(w),
    ...copiedMatrices(w),
    ...TABLES.toReversed().map((table) => `DROP TABLE previous_${table}`),
    ...recordIndexes(),
    ...matrixIndexes(),
    ...w.guardByNumber(TABLES),
  ];
}
