import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/server/storage/open.ts';
import { OWNERS } from '../../src/server/storage/db/schema/row-security.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { testPorts } from './world.ts';

/** What a table of accounts' rows must be, so that an account's rows can be kept apart from others. */
const NUMBERED = Object.entries(OWNERS).flatMap(([table, owner]) =>
  owner === 'number' ? [table] : [],
);
let database: PlainDatabase;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  const store = await openStore({ kind: 'postgres', url: database.url }, testPorts());
  await store.close();
});
afterAll(() => database.drop());

const IN = `IN (${NUMBERED.map((table) => `'${table}'`).join(', ')})`;
const names = async (statement: string): Promise<unknown[]> =>
  (await database.sql(statement)).map(({ name }) => name);

describe('a numbered table', () => {
  test('begins each of its keys and indexes with the account', async () => {
    expect(NUMBERED.length).toBeGreaterThan(4);
    const leading = await database.sql(
      `SELECT indexrelid::regclass::text AS name, attname AS first FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid::regclass::text ${IN}`,
    );
    expect(leading.length).toBeGreaterThanOrEqual(NUMBERED.length);
    expect(leading.filter(({ first }) => first !== 'account')).toEqual([]);
  });

  test('refers to other numbered tables by the account first', async () => {
    expect(
      await names(
        `SELECT conname AS name FROM pg_constraint JOIN pg_attribute
          ON attrelid = conrelid AND attnum = conkey[1]
          WHERE contype = 'f' AND conrelid::regclass::text ${IN}
          AND confrelid::regclass::text ${IN} AND attname <> 'account'`,
      ),
    ).toEqual([]);
  });

  test('has one policy, which looks into no other table, and no trigger of ours', async () => {
    const policies = await database.sql(
      `SELECT tablename AS name, qual, with_check FROM pg_policies WHERE tablename ${IN}
        ORDER BY tablename`,
    );
    expect(policies.map(({ name }) => name)).toEqual([...NUMBERED].sort());
    for (const { qual, with_check } of policies) {
      expect(qual).not.toMatch(/select/i);
      expect(with_check).toBeNull();
    }
    expect(
      await names(
        `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
          AND tgrelid::regclass::text ${IN}`,
      ),
    ).toEqual([]);
  });

  test('no extension is used', async () => {
    expect(
      await names(`SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql'`),
    ).toEqual([]);
  });
});
