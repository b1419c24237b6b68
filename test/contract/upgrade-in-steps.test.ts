import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/server/storage/db/postgres/postgres.ts';
import {
  finishUpgrade,
  prepareUpgrade,
  upgradeStatus,
} from '../../src/server/storage/db/upgrade/upgrade.ts';
import { openStore } from '../../src/server/storage/open.ts';
import { lengthOf } from '../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { TO } from '../../src/server/storage/db/upgrade/stage.ts';
import { filling, makeFifteen } from '../support/upgrade/fifteen.ts';
import { readRows, schemaOf } from '../support/upgrade/rows.ts';
import { WriterOfAfter, WriterOfBefore } from '../support/upgrade/writers.ts';
import { testPorts } from './world.ts';

const AMOUNT = { accounts: 3, cases: 2, items: lengthOf(20, 500), rules: 10 };
/** As the specification of the upgrade says. */
const LONGEST_WAIT_MS = 5_000;
const ONE = 'acc_full_1';

let database: PlainDatabase;
let wanted: unknown[];
beforeAll(async () => {
  const fresh = await makePlainDatabase(SHARED_POSTGRES);
  wanted = await describeDatabase(fresh);
  await fresh.drop();
});

async function makeFull(): Promise<void> {
  database = await makeFifteen(SHARED_POSTGRES);
  for (const statement of filling(AMOUNT)) await database.sql(statement);
}

/** The schema of a new database, with what the owner may do there. */
const RIGHTS = `SELECT c.relname || ' ' || e.privilege_type AS line
  FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) e
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
const describeDatabase = async (of: PlainDatabase): Promise<unknown[]> => [
  await schemaOf(of),
  await of.sql(RIGHTS),
  await of.sql(
    `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
  ),
];

/** Each table's rows as one hash, whatever the order of rows and columns. */
async function digests(of: PlainDatabase): Promise<Record<string, string>> {
  const { tables } = await readRows(of);
  const sorted = (row: unknown): string =>
    JSON.stringify(Object.entries(row as object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      `${rows.length} ${createHash('sha256').update(rows.map(sorted).sort().join('\n')).digest('hex')}`,
    ]),
  );
}

/** All in one transaction, as a server does at its start where there are few rows. */
async function atOnce(): Promise<unknown[]> {
  await (await openPostgres({ url: database.url })).close();
  return [await describeDatabase(database), await digests(database)];
}

describe('an upgrade in steps', () => {
  afterEach(() => database.drop());

  test(
    'leaves the tables of a new database and every row as the upgrade at once does, wherever it is cut off',
    { timeout: 900_000 },
    async () => {
      await makeFull();
      await database.keep();
      const [schema, rows] = await atOnce();
      expect(schema).toEqual(wanted);
      await database.putBack();
      const seen = new Set<string>();
      const each = lengthOf(300, 1);
      let cuts = 0;
      /** The first time that it comes to a step, some time into it. */
      const step = (name: string): void => {
        if (seen.has(name)) return;
        seen.add(name);
        if (seen.size % each !== 0) return;
        cuts += 1;
        setTimeout(() => void cut(), (cuts * 7) % 20);
      };
      await toTheEnd(() => prepareUpgrade({ url: database.url, step }));
      await toTheEnd(() => finishUpgrade({ url: database.url, step }));
      expect(cuts).toBeGreaterThan(lengthOf(0, 60));
      expect(await describeDatabase(database)).toEqual(wanted);
      expect(await digests(database)).toEqual(rows);
    },
  );

  /** As SIGKILL of the process does, the server's side of its connections ends at once. */
  const cut = (): Promise<unknown> =>
    database.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'evidence-studio-upgrade' AND datname = current_database()`);

  /** A process that was cut off may hold the lock of upgrades for a moment more. */
  const CUT = /terminat|connection|ECONNRESET|EPIPE|queryable|another process/i;

  async function toTheEnd(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const ended = await work().then(
        () => true,
        (error: Error) => {
          if (!CUT.test(error.message)) throw error;
          return false;
        },
      );
      if (ended) return;
    }
    throw new Error('It came to no end.');
  }

  test('lets servers of both versions write to the same rows, and nobody waits for long', async () => {
    await makeFull();
    const { url } = database;
    const writer = await new WriterOfBefore(url, ONE).open();
    await writer.recordWhile('case_1', 'late', () => prepareUpgrade({ url }));
    expect(writer.written).toBeGreaterThan(10);
    expect(writer.slowest).toBeLessThan(LONGEST_WAIT_MS);

    const after = await new WriterOfAfter(url, ONE).open();
    expect(await after.cells('case_1')).toEqual(await writer.cells('case_1'));
    await after.record('case_1', 'both', 'new_rule');
    await writer.record('case_1', 'both', 'newer_rule');
    await writer.record('case_1', 'both', 'new_rule');
    await after.record('case_1', 'both', 'newer_rule');
    await after.record('case_2', 'item_1', 'late_1');
    const both = await writer.cells('case_1');
    expect([...both].filter(([name]) => name.startsWith('both/')).sort()).toEqual([
      ['both/new_rule', 2],
      ['both/newer_rule', 3],
    ]);
    for (const name of ['case_1', 'case_2'])
      expect(await after.cells(name)).toEqual(await writer.cells(name));
    // Whose the rows are is guarded for both.
    const other = await new WriterOfAfter(url, 'acc_full_2').open();
    const otherBefore = await new WriterOfBefore(url, 'acc_full_2').open();
    expect(await other.visible(after.number)).toBe(0);
    expect(await otherBefore.cells('case_2')).toEqual(await other.cells('case_2'));
    expect((await other.cells('case_2')).has('item_1/late_1')).toBe(false);

    // The version before writes on alone, until the upgrade is finished.
    await writer.record('case_2', 'alone', 'rule_1');
    for (const one of [writer, otherBefore]) await one.end();
    const kept = await after.cells('case_1');
    await after.recordWhile('case_2', 'last', () => finishUpgrade({ url }));
    expect(after.slowest).toBeLessThan(LONGEST_WAIT_MS);
    expect(await after.cells('case_1')).toEqual(kept);
    expect((await after.cells('case_2')).get('alone/rule_1')).toBe(2);
    for (const one of [after, other]) await one.end();
    expect(await describeDatabase(database)).toEqual(wanted);
  });
});

describe('an upgrade in steps of a database of one account', () => {
  const open = (): Promise<unknown> =>
    openStore({ kind: 'postgres', url: database.url }, testPorts());
  const places = (): Promise<unknown> =>
    database.sql('SELECT matrix_pk, item_pk, rule_pk, ctid FROM cells ORDER BY 1, 2, 3');
  let before: unknown;
  beforeAll(async () => {
    database = await makeFifteen(SHARED_POSTGRES, false);
    for (const statement of filling({ ...AMOUNT, accounts: 1 })) await database.sql(statement);
    before = await places();
  });
  afterAll(() => database.drop());

  test('is asked for where there are many rows', async () => {
    const count = (rows: number): Promise<unknown> =>
      database.sql(`UPDATE pg_class SET reltuples = $1 WHERE relname = 'cells'`, [rows]);
    await count(5e6);
    await expect(open()).rejects.toMatchObject({
      code: 'upgrade_needed',
      message: expect.stringContaining('database prepare'),
    });
    await count(-1);
  });

  test('that was stopped lets no server of this version start, and goes on', async () => {
    const { url } = database;
    const stop = new AbortController();
    const step = (name: string): void => (name.startsWith('index') ? stop.abort() : undefined);
    await expect(prepareUpgrade({ url, step, signal: stop.signal })).rejects.toThrow('again');
    expect(await upgradeStatus({ url })).toMatchObject({ version: 15, stage: 'preparing' });
    await expect(open()).rejects.toMatchObject({ code: 'upgrade_under_way' });
    await expect(finishUpgrade({ url })).rejects.toMatchObject({ code: 'upgrade_under_way' });
    expect(await prepareUpgrade({ url })).toBe(true);
    expect(await prepareUpgrade({ url })).toBe(false);
    expect(await upgradeStatus({ url })).toMatchObject({ version: 15, stage: 'ready' });
  });

  test('replaces no row', async () => {
    expect(await places()).toEqual(before);
  });

  test('keeps blobs in the database, and is finished when no server of before is connected', async () => {
    const { url } = database;
    const blobs = { kind: 'folder', folder: '/nowhere' } as const;
    await expect(openStore({ kind: 'postgres', url, blobs }, testPorts())).rejects.toMatchObject({
      code: 'setting_refused',
    });
    const store = await openStore({ kind: 'postgres', url }, testPorts());
    expect(store.health().ok).toBe(true);
    const old = await new WriterOfBefore(`${url}?application_name=evidence-studio`, ONE).open();
    await expect(finishUpgrade({ url })).rejects.toThrow('Servers of the version before');
    await old.end();
    expect(await finishUpgrade({ url })).toBe(true);
    expect(await finishUpgrade({ url })).toBe(false);
    expect(await upgradeStatus({ url })).toMatchObject({ version: TO, stage: null });
    expect(store.health().ok).toBe(true);
    await store.close();
    expect(await describeDatabase(database)).toEqual(wanted);
  });
});
