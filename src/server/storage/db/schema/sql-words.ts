import {
  ACCOUNT_SETTING,
  guard,
  guardAtHand,
  guardByNumber,
  guardPublished,
  MOVING_SETTING,
} from './row-security.ts';
import { numberOf } from './number-of.ts';
import type { StoreTables } from './schema.ts';

/** The few words in which the two engines' SQL differs. */
export interface SqlWords {
  /** 64-bit integer. */
  int: string;
  real: string;
  /** Text compared by code points, whatever the locale of the server. */
  text: string;
  blob: string;
  /** Primary key that numbers itself. */
  serial: string;
  /** Column that numbers a table's rows, for `DatabaseSession.allocate`. */
  numbered: string;
  /** After the closing bracket of a table; `clustered` where the primary key is the table. */
  strict: string;
  clustered: string;
  /** How a column that is computed from others is kept. */
  stored: string;
  isJson(column: string): string;
  /** A stored time, so many days before. */
  daysBefore(column: string, days: number): string;
  /** Statements that refuse UPDATE and DELETE of a table. */
  freeze(table: string): string[];
  /** Statements that let the columns of a frozen table be updated that are not among these. */
  freezeOnly(table: string, columns: readonly string[]): string[];
  /**
   * Statements by which rows of a table are added and never changed, but in these columns. On
   * PostgreSQL by privileges, which bind the table's owner too until it grants them to itself.
   */
  appendOnly(
    table: string,
    but?: { unchanged: readonly string[]; changing: readonly string[] },
  ): string[];
  /** Statements that put privileges in place of the triggers of a frozen table. */
  withoutTriggers(table: string, changing?: readonly string[]): string[];
  /**
   * Statements by which rows of two tables with one key are added and never changed, and deleted
   * where they move from the one to the other. A trigger looks whether they are there. A policy
   * that looked into the other table could not be sharded: it asks whether the transaction says
   * that it moves rows (`MOVING_SETTING`).
   */
  moved(tables: readonly [string, string], key: readonly string[]): string[];
  /** Statements that end a table's being frozen. */
  thaw(table: string): string[];
  /** Statements that show these tables' rows to transactions of their account only. */
  guard(tables: readonly (keyof StoreTables)[]): string[];
  /** Statements that number the accounts. */
  numberAccounts(): string[];
  /**
   * Statements that show these tables' rows to transactions of the account of their number only.
   */
  guardByNumber(tables: readonly (keyof StoreTables)[]): string[];
  /** Statements that number a table's next rows after those that were copied into it. */
  continueNumbering(table: string, column: string): string[];
  /**
   * Statements by which the planner knows that columns of a table depend on each other: it would
   * multiply conditions on the account and on one of its logs, expect one row, and might read the
   * whole log by an index for something else.
   */
  dependent(table: string, columns: readonly string[]): string[];
  /** Statements that let the rows of the case which a transaction is about be checked together. */
  guardAtHand(): string[];
  /** Statements by which an account sees what other accounts have published. */
  guardPublished(): string[];
  /** Statements that let the rest of a migration see the rows of every account. */
  forEveryAccount(): string[];
}

export const SQLITE_WORDS: SqlWords = {
  int: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  blob: 'BLOB',
  serial: 'INTEGER PRIMARY KEY',
  numbered: 'INTEGER NOT NULL',
  strict: ' STRICT',
  clustered: ' STRICT, WITHOUT ROWID',
  // The only kind that a table of SQLite can be given later; its indexes hold the value.
  stored: 'VIRTUAL',
  isJson: (column) => `json_valid(${column})`,
  daysBefore: (column, days) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '-${days} days')`,
  freeze: (table) =>
    ['UPDATE', 'DELETE'].map(
      (verb) =>
        `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} BEGIN
          SELECT RAISE(ABORT, '${table} are never changed'); END`,
    ),
  freezeOnly: (table, columns) => [
    `DROP TRIGGER ${table}_no_update`,
    `CREATE TRIGGER ${table}_no_update BEFORE UPDATE OF ${columns.join(', ')}
      ON ${table} BEGIN SELECT RAISE(ABORT, '${table} are never changed'); END`,
  ],
  appendOnly: (table, but) => [
    ...SQLITE_WORDS.freeze(table),
    ...(but === undefined ? [] : SQLITE_WORDS.freezeOnly(table, but.unchanged)),
  ],
  withoutTriggers: () => [],
  moved: ([from, to], key) =>
    [
      [from, to],
      [to, from],
    ].flatMap(([table, other]) => {
      const isSame = key.map((column) => `o.${column} = old.${column}`).join(' AND ');
      return [
        `DROP TRIGGER IF EXISTS ${table}_no_update`,
        `DROP TRIGGER IF EXISTS ${table}_no_delete`,
        `CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table} BEGIN
          SELECT RAISE(ABORT, '${table} are never changed'); END`,
        `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table}
          WHEN NOT EXISTS (SELECT 1 FROM ${other} o WHERE ${isSame}) BEGIN
          SELECT RAISE(ABORT, '${table} are never changed'); END`,
      ];
    }),
  thaw: (table) => [`DROP TRIGGER ${table}_no_update`, `DROP TRIGGER ${table}_no_delete`],
  // One file, one account.
  guard: () => [],
  numberAccounts: () => [
    `ALTER TABLE accounts ADD COLUMN account INTEGER`,
    `UPDATE accounts SET account =
      (SELECT count(*) FROM accounts AS other WHERE other.rowid <= accounts.rowid)`,
    `CREATE UNIQUE INDEX accounts_by_number ON accounts (account)`,
    `CREATE TRIGGER accounts_number AFTER INSERT ON accounts WHEN NEW.account IS NULL BEGIN
      UPDATE accounts SET account = (SELECT coalesce(max(account), 0) + 1 FROM accounts)
      WHERE account_id = NEW.account_id; END`,
  ],
  guardByNumber: () => [],
  continueNumbering: () => [],
  dependent: () => [],
  guardAtHand: () => [],
  guardPublished: () => [],
  forEveryAccount: () => [],
};

export const POSTGRES_WORDS: SqlWords = {
  int: 'BIGINT',
  real: 'DOUBLE PRECISION',
  text: 'TEXT COLLATE "C"',
  blob: 'BYTEA',
  serial: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  numbered: 'BIGINT NOT NULL GENERATED BY DEFAULT AS IDENTITY',
  strict: '',
  clustered: '',
  stored: 'STORED',
  // `IS JSON` is there from version 16 on only.
  isJson: (column) => `${column} IS NULL OR ${column}::json IS NOT NULL`,
  daysBefore: (column, days) =>
    `to_char((${column}::timestamptz - interval '${days} days') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  freeze: (table) => [
    `CREATE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${table} are never changed'; END $$`,
    `CREATE TRIGGER ${table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse()`,
  ],
  freezeOnly: (table, columns) => [
    `DROP TRIGGER ${table}_no_change ON ${table}`,
    `CREATE TRIGGER ${table}_no_change BEFORE UPDATE OF ${columns.join(', ')} OR DELETE
      OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse()`,
  ],
  appendOnly: (table, but) => [
    `REVOKE UPDATE, DELETE, TRUNCATE ON ${table} FROM CURRENT_USER`,
    ...(but === undefined
      ? []
      : [`GRANT UPDATE (${but.changing.join(', ')}) ON ${table} TO CURRENT_USER`]),
  ],
  withoutTriggers: (table, changing) => [
    ...POSTGRES_WORDS.thaw(table),
    ...POSTGRES_WORDS.appendOnly(table, changing && { unchanged: [], changing }),
  ],
  moved: (tables) =>
    tables.flatMap((table) => [
      ...POSTGRES_WORDS.appendOnly(table),
      `GRANT DELETE ON ${table} TO CURRENT_USER`,
      `CREATE POLICY moved_only ON ${table} AS RESTRICTIVE FOR DELETE
        USING (current_setting('${MOVING_SETTING}', true) = 'on')`,
    ]),
  thaw: (table) => [
    `DROP TRIGGER ${table}_no_change ON ${table}`,
    `DROP FUNCTION ${table}_refuse()`,
  ],
  numberAccounts: () => [
    `ALTER TABLE accounts ADD COLUMN account BIGINT NOT NULL GENERATED ALWAYS AS
      ${numberOf('account_id')} STORED`,
    `CREATE UNIQUE INDEX accounts_by_number ON accounts (account)`,
  ],
  guardByNumber: (tables) => tables.flatMap(guardByNumber),
  continueNumbering: (table, column) => [
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false)
      FROM ${table}`,
  ],
  dependent: (table, columns) => [
    `CREATE STATISTICS ${table}_dependent (dependencies) ON ${columns.join(', ')} FROM ${table}`,
    // Of an empty table it would learn that any plan will do.
    `DO $$ BEGIN IF pg_relation_size('${table}') > 0 THEN ANALYZE ${table}; END IF; END $$`,
  ],
  guard: (tables) => tables.flatMap(guard),
  guardAtHand,
  guardPublished,
  forEveryAccount: () => [`SELECT set_config('${ACCOUNT_SETTING}', '*', true)`],
};
