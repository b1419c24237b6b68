import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import { OWNERS } from '../../src/server/storage/db/schema/row-security.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { testPorts } from './world.ts';

/**
 * What a table of accounts' rows must be, so that an account's rows can be kept apart from others,
 * in databases of their own if need be. Whoever adds a table learns it here.
 */
const NUMBERED = Object.entries(OWNERS).flatMap(([table, owner]) =>
  owner === 'number' ? [table] : [],
);

/**
 * The others: who may sign in and to which account, which is looked up before an account is known;
 * trails, of which one is no account's; profiles, which accounts show to each other; and what is
 * the server's own.
 */
const DIRECTORY = [
  ...['account_marks', 'accounts', 'users', 'passwords', 'members', 'api_keys', 'sessions'],
  ...['invitations', 'sign_in_links', 'sign_in_limits', 'tried_passwords', 'setup_tokens'],
  ...['audit_events', 'audit_heads', 'profiles', 'profile_owners'],
  ...['notified_accounts', 'stamping_accounts'],
  ...['meta', 'uplink', 'spending'],
];

/** Tables whose rows are never changed, with the columns that may be. */
const UNCHANGED: Readonly<Record<string, readonly string[]>> = {
  audit_events: [],
  blobs: [],
  changes: ['quarantined'],
  manifest_copies: [],
  outside_blobs: [],
  profiles: ['borrowed', 'published'],
  run_contents: [],
  run_recorders: [],
  runs: [],
};
/** Of these, those whose rows move from the one to the other. */
const MOVED = ['blobs', 'outside_blobs'];

let database: PlainDatabase;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  const store = await openStore({ kind: 'postgres', url: database.url }, testPorts());
  await store.close();
});
afterAll(() => database.drop());

const isIn = (tables: readonly string[]): string =>
  `IN (${tables.map((table) => `'${table}'`).join(', ')})`;
const IN = isIn(NUMBERED);
const names = async (statement: string): Promise<unknown[]> =>
  (await database.ownSql(statement)).map(({ name }) => name);

describe('a table of accounts’ rows', () => {
  test('is numbered, unless it is one of the directory', async () => {
    const tables = await names(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r'
        AND relnamespace = 'public'::regnamespace AND relname <> 'schema_version'`,
    );
    expect(tables.sort()).toEqual([...NUMBERED, ...DIRECTORY].sort());
    expect(
      await names(
        `SELECT table_name AS name FROM information_schema.columns
          WHERE table_name ${IN} AND column_name = 'account_id'`,
      ),
    ).toEqual([]);
  });

  test('begins each of its keys and indexes with the account', async () => {
    const leading = await database.sql(
      `SELECT indexrelid::regclass::text AS name, attname AS first FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid::regclass::text ${IN}`,
    );
    expect(leading.length).toBeGreaterThanOrEqual(NUMBERED.length);
    expect(leading.filter(({ first }) => first !== 'account')).toEqual([]);
  });

  test('says that the account follows from a key, where two indexes begin with both', async () => {
    const alike = await names(
      `SELECT attrelid::regclass || ': ' || attname AS name FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[1]
        WHERE indpred IS NULL AND attname LIKE '%_pk' AND indrelid::regclass::text ${IN}
        GROUP BY attrelid, attname HAVING count(*) > 1`,
    );
    expect(alike.sort()).toEqual(['changes: stream_pk', 'items: case_pk']);
    expect(
      await names(
        `SELECT stxrelid::regclass || ': ' || second.attname AS name FROM pg_statistic_ext
          JOIN pg_attribute AS first ON first.attrelid = stxrelid AND first.attnum = stxkeys[0]
          JOIN pg_attribute AS second ON second.attrelid = stxrelid AND second.attnum = stxkeys[1]
          WHERE first.attname = 'account' AND stxkind = '{f}' ORDER BY 1`,
      ),
    ).toEqual(alike);
  });

  test('refers by the account first, and belongs to an account that there is', async () => {
    const references = await database.sql(
      `SELECT conrelid::regclass::text AS name, attname AS first FROM pg_constraint
        JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE contype = 'f' AND conrelid::regclass::text ${IN}`,
    );
    expect(references.filter(({ first }) => first !== 'account')).toEqual([]);
    const bound = new Set(references.map(({ name }) => name));
    // Three look-ups a cell would cost more than the cell; its matrix belongs to the account.
    expect(NUMBERED.filter((table) => !bound.has(table))).toEqual(['cells']);
  });

  test('has one policy, which looks into no other table', async () => {
    const policies = await database.sql(
      `SELECT tablename AS name, policyname, qual, with_check FROM pg_policies
        WHERE tablename ${isIn([...NUMBERED, 'account_marks'])} ORDER BY tablename`,
    );
    const of = (policy: string): unknown[] =>
      policies.filter(({ policyname }) => policyname === policy).map(({ name }) => name);
    expect(of('own_account')).toEqual([...NUMBERED, 'account_marks'].sort());
    expect(of('moved_only')).toEqual(MOVED);
    expect(policies).toHaveLength(NUMBERED.length + 1 + MOVED.length);
    for (const { qual, with_check } of policies) {
      expect(qual).not.toMatch(/select/i);
      expect(with_check).toBeNull();
    }
  });
});

describe('the database', () => {
  test('has no trigger of ours', async () => {
    expect(
      await names(`SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
        UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace`),
    ).toEqual([]);
  });

  test('lets its own role change nothing that is never changed', async () => {
    const granted = await database.ownSql(
      `SELECT relname AS name,
        has_table_privilege(oid, 'UPDATE') OR has_table_privilege(oid, 'TRUNCATE') AS change,
        has_table_privilege(oid, 'DELETE') AS delete,
        ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0
          AND has_column_privilege(attrelid, attnum, 'UPDATE') ORDER BY attname) AS columns
        FROM pg_class WHERE relname ${isIn(Object.keys(UNCHANGED))} ORDER BY relname`,
    );
    expect(granted).toEqual(
      Object.entries(UNCHANGED).map(([name, columns]) => ({
        name,
        change: false,
        delete: MOVED.includes(name),
        columns,
      })),
    );
    for (const table of MOVED) {
      await database.ownSql(`DELETE FROM ${table}`);
      await expect(database.ownSql(`TRUNCATE ${table}`)).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('is asked for no LISTEN or NOTIFY, which reach one machine alone', () => {
    const files = globSync('src/server/**/*.ts');
    expect(files.length).toBeGreaterThan(100);
    expect(
      files.filter((file) =>
        /[`'"]\s*(LISTEN|NOTIFY)\b|pg_notify/.test(readFileSync(file, 'utf8')),
      ),
    ).toEqual([]);
  });

  test('has no extension', async () => {
    expect(
      await names(`SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql'`),
    ).toEqual([]);
  });
});
