import { ofOwnAccount } from '../../support/own-account.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/server/storage/open.ts';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import { FIRST_PAGE, refusal, testPorts } from '../../contract/world.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import type { StoreError } from '../../../src/server/storage/db/errors.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { asKey } from '../../support/ids.ts';

let database: PlainDatabase;
let beside: pg.Client;
let store: Store;
let actor: Actor;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  beside = new pg.Client({ connectionString: database.superuserUrl });
  await beside.connect();
  store = ofOwnAccount(
    await openStore({ kind: 'postgres', url: database.url, connections: 4 }, testPorts()),
  );
  const { account_id, user_id, user_name } = store.local;
  actor = { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null };
}, 60_000);
afterAll(async () => {
  await store.close();
  await beside.end();
  await database.drop();
});

const endConnections = (): Promise<unknown> =>
  beside.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'evidence-studio%'
      AND datname = current_database()`,
  );
const names = async (): Promise<string[]> =>
  (await store.read((reader) => reader.projects.list(actor.account_id, FIRST_PAGE))).data.map(
    ({ name }) => name,
  );
/** Makes a project; `meanwhile` happens within each attempt, before and after the write. */
async function make(
  name: string,
  meanwhile: (attempt: number) => Promise<unknown> = async () => {},
  at = store,
): Promise<number> {
  let attempts = 0;
  await at.transact(async (writer) => {
    attempts += 1;
    await writer.projectWrites.upsert(actor, { name }, undefined);
    await meanwhile(attempts);
    // Each request asks at its end whether whoever sent it still may.
    writer.beforeCommit(async () => void (await writer.keys.byId(asKey('key_none'))));
  });
  return attempts;
}

/** A store that waits for little. */
async function openHasty(): Promise<AsyncDisposable & { store: Store }> {
  const opened = await openStore(
    {
      kind: 'postgres',
      url: database.url,
      connections: 4,
      timeOuts: { lock_timeout: 150, idle_in_transaction_session_timeout: 400 },
    },
    testPorts(),
  );
  return { store: ofOwnAccount(opened), [Symbol.asyncDispose]: () => opened.close() };
}

describe('a PostgreSQL that goes away', () => {
  it('between two requests is not noticed', async () => {
    const open = await Promise.all([names(), names(), names()]);
    await endConnections();
    // A connection whose end has not come to us yet is found out by its first statements; on a busy
    // machine that may be each of them.
    expect(await make('After the idle ones ended')).toBeLessThanOrEqual(open.length + 1);
    expect((await names()).filter((name) => name === 'After the idle ones ended')).toHaveLength(1);
  });

  it('in the middle of a transaction has stored nothing of it: it runs again, and is there once', async () => {
    expect(
      await make('Begun twice', (attempt) =>
        attempt === 1 ? endConnections() : Promise.resolve(),
      ),
    ).toBe(2);
    expect((await names()).filter((name) => name === 'Begun twice')).toHaveLength(1);
    let reads = 0;
    const read = store.read(async (reader) => {
      reads += 1;
      if (reads === 1) await endConnections();
      return reader.projects.list(actor.account_id, FIRST_PAGE);
    });
    expect((await read).data.length).toBeGreaterThan(1);
    expect(reads).toBe(2);
  });

  it('again and again is said to be away', async () => {
    const refused = await refusal(make('Never', endConnections));
    expect(refused.code).toBe('unavailable');
    expect(await names()).not.toContain('Never');
  });

  it('at the commit leaves open whether it is stored, says so, and runs nothing twice', async () => {
    await beside.query(
      `CREATE FUNCTION end_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM
        pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`,
    );
    await beside.query(
      'CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_here()',
    );
    let attempts = 0;
    const refused: StoreError = await refusal(
      make('Unknown', async (attempt) => (attempts = attempt)),
    );
    await beside.query('DROP TRIGGER at_commit ON projects');
    expect([refused.code, attempts]).toEqual(['unavailable', 1]);
    expect(refused.message).toContain('Idempotency-Key');
    expect(await make('Unknown')).toBe(1);
  });

  it('is waited for only so long where another holds the log, and what froze with a log in hand loses it', async () => {
    await make('Held');
    await using hasty = await openHasty();
    await beside.query('BEGIN');
    await beside.query('SELECT * FROM streams FOR UPDATE');
    const refused = await refusal(
      hasty.store.transact((writer) =>
        writer.projectWrites.upsert(actor, { name: 'Held', description: 'x' }, undefined),
      ),
    );
    await beside.query('COMMIT');
    expect(refused).toMatchObject({
      code: 'unavailable',
      message: 'The database server is busy. Try again.',
    });
    // A busy machine may freeze the second attempt as well.
    expect(
      await make(
        'Frozen',
        (attempt) => (attempt === 1 ? beside.query('SELECT pg_sleep(0.9)') : Promise.resolve()),
        hasty.store,
      ),
    ).toBeGreaterThan(1);
  });

  it.each(['40001', '40P01', '23505'])(
    'answers %s: it runs again, five times at most',
    async (code) => {
      const fail = async (): Promise<never> =>
        Promise.reject(Object.assign(new Error('refused'), { code }));
      expect(
        await make(`Twice ${code}`, (attempt) => (attempt === 1 ? fail() : Promise.resolve())),
      ).toBe(2);
      let attempts = 0;
      const refused = await refusal(make('Never', (attempt) => ((attempts = attempt), fail())));
      expect([refused.code, attempts]).toEqual(['unavailable', 5]);
    },
  );
});
