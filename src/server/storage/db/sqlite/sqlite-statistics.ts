import type { DatabaseSync } from 'node:sqlite';
import { SQLITE, sqliteCode } from '../errors.ts';
import { scalar } from './sqlite-settings.ts';

/** About how many rows a studio has that was used for years, by table. */
const ROWS: ReadonlyMap<string, number> = new Map([
  ['cells', 5_000_000],
  ['changes', 1_000_000],
  ['items', 200_000],
  ['runs', 200_000],
  ['suggestions', 5_000_000],
  ['registers', 100_000],
  ['cited', 100_000],
  ['tallies', 100_000],
  ['audit_events', 100_000],
]);
const ROWS_OF_OTHERS = 5_000;

/**
 * Columns that tell few rows apart, and how many values they have. A file holds few accounts,
 * mostly one; were that said, rows of an account would be looked for in the whole table, among the
 * others' where there are any.
 */
const VALUES: ReadonlyMap<string, number> = new Map([
  ['account', 20],
  ['listed', 1],
  ['profile_version', 1],
  ['rule_uid', 3],
  ['content_hash', 1_000],
]);
/** Values of any other column among the rows that are alike in those before it. */
const VALUES_OF_OTHERS = 30;
/** An index of some rows alone has one of so many. */
const PARTIAL = 20;

/** Another process writes, or the disk is full. */
const PUTS_OFF: ReadonlySet<number | undefined> = new Set([
  SQLITE.BUSY,
  SQLITE.LOCKED,
  SQLITE.FULL,
]);

interface Index {
  tbl: string;
  idx: string;
  is_unique: number;
  is_partial: number;
  /** Its columns, separated by commas. */
  columns: string;
}

/**
 * What SQLite is to expect of an index, in the form of its table `sqlite_stat1`: its rows, then how
 * many have the same first column, the same first two, and so on.
 */
function expected({ tbl, is_unique, is_partial, columns }: Index): string {
  const all = (ROWS.get(tbl) ?? ROWS_OF_OTHERS) / (is_partial === 1 ? PARTIAL : 1);
  let alike = all;
  const rows = columns.split(',').map((name) => {
    alike /= VALUES.get(name) ?? VALUES_OF_OTHERS;
    return Math.max(1, Math.round(alike));
  });
  if (is_unique === 1) rows[rows.length - 1] = 1;
  return [all, ...rows, 'noskipscan'].join(' ');
}

const textOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) => row.join(' '))
    .sort()
    .join('\n');

/**
 * Tells SQLite how the rows of a large store are spread over its indexes, the same for every file:
 * without it, it takes ten rows for an account's, and reads a whole matrix to find one cell. See
 * docs/decisions/0083.
 */
export function setStatistics(db: DatabaseSync): void {
  const indexes = db
    .prepare(
      `SELECT t.name AS tbl, l.name AS idx, l."unique" AS is_unique, l.partial AS is_partial,
        (SELECT group_concat(name) FROM pragma_index_info(l.name)) AS columns
      FROM sqlite_schema t JOIN pragma_index_list(t.name) l
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND columns IS NOT NULL`,
    )
    .all() as unknown as Index[];
  const wanted = indexes.map((index) => [index.tbl, index.idx, expected(index)] as const);
  const isThere =
    scalar(db, `SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'`) === 1;
  const found = isThere
    ? db
        .prepare('SELECT tbl, idx, stat FROM sqlite_stat1')
        .all()
        .map(({ tbl, idx, stat }) => [String(tbl), String(idx), String(stat)])
    : [];
  if (textOf(found) === textOf(wanted)) return;
  try {
    db.exec('BEGIN IMMEDIATE');
    // It makes the table, which nothing else can.
    if (!isThere) db.exec('ANALYZE meta');
    db.exec('DELETE FROM sqlite_stat1');
    const insert = db.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
    for (const row of wanted) insert.run(...row);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    // They are hints: the next start writes them.
    if (PUTS_OFF.has(sqliteCode(error))) return;
    throw error;
  }
  // This connection has read what was there before.
  db.exec('ANALYZE sqlite_schema');
}
