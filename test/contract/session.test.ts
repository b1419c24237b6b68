import { AccountId } from '../../src/shared/contract/ids.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledOnce } from '../../src/server/storage/db/compiled-once.ts';
import { openPostgres } from '../../src/server/storage/db/postgres/postgres.ts';
import {
  type StorageEngine,
  type OnConflict,
  type DatabaseSession,
  type AccountScope,
  EVERY_ACCOUNT,
  pipelined,
} from '../../src/server/storage/db/session.ts';
import type { Placeholders } from '../../src/server/storage/db/placeholder.ts';
import { openSqlite } from '../../src/server/storage/db/sqlite/sqlite.ts';
import { createStore } from '../../src/server/storage/store.ts';
import { lengthOf } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { budget } from '../model/steps.ts';
import { SHIPPED, testPorts } from './world.ts';

/**
 * What every repository stands on, the same on both engines: lists of any length and content, and
 * bulk inserts in which a key is repeated.
 */
const engines = {
  async SQLite() {
    const folder = mkdtempSync(path.join(tmpdir(), 'evidence-session-'));
    return {
      engine: openSqlite({ file: path.join(folder, 'evidence.sqlite') }),
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async PostgreSQL() {
    const { url, drop } = await makePlainDatabase(SHARED_POSTGRES);
    return { engine: await openPostgres({ url, connections: 2 }), drop };
  },
};

const KEYS = ['usage_months', ['month', 'requests', 'cells_written', 'runs'], ['month']] as const;
const ALWAYS = {
  upsert: { target: KEYS[2], update: ['requests'], add: ['runs'] },
  nothing: { target: KEYS[2], update: [] },
  sum: { target: KEYS[2], update: [], add: ['requests', 'cells_written', 'runs'] },
} satisfies Record<string, OnConflict>;
type Row = [month: string, requests: number, cells: number, runs: number];

/** One row after the other. */
function expected(batches: readonly (readonly Row[])[], { update, add = [] }: OnConflict): Row[] {
  const stored = new Map<string, Row>();
  for (const row of batches.flat()) {
    const held = stored.get(row[0]);
    if (held === undefined) stored.set(row[0], [...row]);
    else
      ['requests', 'cells_written', 'runs'].forEach((column, at) => {
        if (update.includes(column)) held[at + 1] = row[at + 1] as number;
        if (add.includes(column)) held[at + 1] = (held[at + 1] as number) + (row[at + 1] as number);
      });
  }
  return [...stored.values()].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe.each(Object.entries(engines))('a session on %s', (_, open) => {
  let engine: StorageEngine;
  let drop: () => Promise<void>;
  let account: AccountId;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ engine, drop } = await open());
    const store = await createStore(engine, testPorts(), [SHIPPED]);
    account = store.local.account_id;
    close = () => store.close();
  });
  afterAll(async () => {
    await close();
    await drop();
  });
  const inside = <T>(fn: (session: DatabaseSession) => Promise<T>): Promise<T> =>
    engine.write(fn, account);

  test.each(['text', 'whole number'])(
    'a list of a %s column may be empty, long, or hold what no column does',
    async (kind) => {
      const found = await inside(async (session) => {
        const ask = (values: readonly (string | number)[], how: 'list' | 'inList') => {
          const column = kind === 'text' ? 'name' : 'seq';
          const query = session.db.selectFrom('streams').select('stream_pk');
          return (
            how === 'inList'
              ? query.where(session.inList(column, values))
              : query.where(column, 'in', session.list<never>(values as readonly never[]))
          ).execute();
        };
        const lists: (readonly (string | number)[])[] =
          kind === 'text'
            ? [[], ['\0'], ['nobody', 'a\0b'], ['"', '\\', '{}', 'NULL', '']]
            : [[], [-1], Array.from({ length: 5_000 }, (_x, n) => -n - 1)];
        const rows = [];
        for (const values of lists)
          for (const how of ['list', 'inList'] as const) rows.push(...(await ask(values, how)));
        return rows;
      });
      expect(found).toEqual([]);
    },
  );

  test('a query compiled once finds with each call’s values what one built for them does', async () => {
    interface Asked {
      account: number;
      months: readonly string[];
      requests: readonly number[];
      most: number;
    }
    const compiled = compiledOnce(({ db, inPlaceholder }, given: Placeholders<Asked>) =>
      db
        .selectFrom('usage_months')
        .select(['month', 'requests'])
        .where('account', '=', given.account)
        .where(({ or }) =>
          or([
            inPlaceholder('month', given.months, 'text'),
            inPlaceholder('requests', given.requests, 'number'),
          ]),
        )
        .orderBy('month')
        .limit(given.most),
    );
    const month = fc.constantFrom('2026-01', '2026-02', 'x y', 'none', '"', '\\', '{}', 'a\0b');
    const asked = fc.record({
      months: fc.array(month, { maxLength: 4 }),
      requests: fc.array(fc.nat(5), { maxLength: 4 }),
      most: fc.nat(5),
    });
    await inside(async (session) => {
      await session.db.deleteFrom('usage_months').where('account', '=', session.account).execute();
      const rows = ['2026-01', '2026-02', 'x y', '"'].map((name, at): Row => [name, at, 0, 0]);
      await session.insert(KEYS[0], KEYS[1], rows);
    });
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 4 }), (calls) =>
        inside(async (session) => {
          const { account: number } = session;
          for (const { months, requests, most } of calls) {
            const built = session.db
              .selectFrom('usage_months')
              .select(['month', 'requests'])
              .where('account', '=', number)
              .where(({ or }) =>
                or([session.inList('month', months), session.inList('requests', requests)]),
              )
              .orderBy('month')
              .limit(most);
            const query = compiled(session, { account: number, months, requests, most });
            const found = await built.execute();
            expect(await query.execute()).toEqual(found);
            expect(await query.executeTakeFirst()).toEqual(found[0]);
            expect(await session.rows(query)).toEqual(found.map((row) => Object.values(row)));
          }
        }),
      ),
      budget(lengthOf(25, 300)),
    );
  });

  test('a bulk insert leaves what its rows would one after the other, also where they repeat a key', async () => {
    const row: fc.Arbitrary<Row> = fc.tuple(
      fc.constantFrom('2026-01', '2026-02', '2026-03', 'x y', 'x'),
      fc.nat(9),
      fc.nat(9),
      fc.nat(9),
    );
    const batch = fc.array(row, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...Object.values(ALWAYS)),
        async (batches, conflict) => {
          const stored = await inside(async (session) => {
            await session.db
              .deleteFrom('usage_months')
              .where('account', '=', session.account)
              .execute();
            for (const rows of batches) await session.insert(KEYS[0], KEYS[1], rows, conflict);
            return session.rows<Row>(
              session.db
                .selectFrom('usage_months')
                .select(['month', 'requests', 'cells_written', 'runs'])
                .where('account', '=', session.account)
                .orderBy('month'),
            );
          });
          expect(stored).toEqual(expected(batches, conflict));
        },
      ),
      budget(lengthOf(15, 100)),
    );
  });

  test('a number is given out once, whether its row has been inserted or not', async () => {
    const given = await engine.write(
      async (session) => [
        ...(await session.allocate('rules', 2)),
        ...(await session.allocate('rules', 1)),
      ],
      account,
    );
    expect(new Set(given).size).toBe(3);
  });

  test('a row of a numbered table is of the transaction’s account, which must be one', async () => {
    const add = (session: DatabaseSession): Promise<void> =>
      session.insert('rules', ['rule_pk', 'rule_uid'], [[1_000, 'added']], {
        target: ['rule_uid'],
        update: [],
      });
    const [own, of] = await engine.write(async (session) => {
      await add(session);
      await add(session);
      return pipelined(
        Promise.resolve(session.account),
        session.rows<[number]>(
          session.db
            .selectFrom('rules')
            .select('account')
            .where('account', '=', session.account)
            .where('rule_uid', '=', 'added'),
        ),
      );
    }, account);
    expect(of).toEqual([[own]]);
    await expect(engine.write(add, EVERY_ACCOUNT)).rejects.toThrow('about no account');
  });

  test('a transaction about every account goes on with one after another; one about an account with no other', async () => {
    const add = async (session: DatabaseSession): Promise<void> => {
      session.turnTo(account);
      await session.insert('rules', ['rule_pk', 'rule_uid'], [[1_001, 'turned_to']]);
    };
    await engine.write(add, EVERY_ACCOUNT);
    const found = (scope: AccountScope | undefined) =>
      engine.read(async (session) => {
        session.turnTo(account);
        return session.db
          .selectFrom('rules')
          .select('rule_pk')
          .where('account', '=', session.account)
          .where('rule_uid', '=', 'turned_to')
          .execute();
      }, scope);
    for (const scope of [account, EVERY_ACCOUNT, undefined] as const)
      expect(await found(scope)).toEqual([{ rule_pk: 1_001 }]);
    await expect(found(AccountId.parse('acc_other'))).rejects.toThrow('of another');
  });
});
