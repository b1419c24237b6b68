import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRefusals } from '../../../src/server/auth/refusals.ts';
import { createLogger } from '../../../src/server/instance/logger.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import { createUsage } from '../../../src/server/instance/usage.ts';
import { testPorts } from '../../contract/world.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import type { Store } from '../../../src/server/storage/store.ts';

/** What is counted in memory and written in batches, while the database refuses. */
let database: PlainDatabase;
let store: Store;
let beside: pg.Client;
const logger = createLogger({ level: 'silent', destination: { write: () => {} } });
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  store = await openStore(
    { kind: 'postgres', url: database.url, connections: 2, timeOuts: { lock_timeout: 100 } },
    testPorts(),
  );
  beside = new pg.Client({ connectionString: database.superuserUrl });
  await beside.connect();
}, 60_000);
afterAll(async () => {
  await store.close();
  await beside.end();
  await database.drop();
});

/** `work` while another holds the table. */
async function whileHeld(table: string, work: () => Promise<void>): Promise<void> {
  await beside.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  await work();
  await beside.query('COMMIT');
}
const rows = async (sql: string): Promise<unknown[]> =>
  (await beside.query<Record<string, unknown>>(sql)).rows;

describe('a batch that the database refused', () => {
  it('of usage is written with the next one', async () => {
    const { account_id } = store.local;
    const usage = createUsage({ store, logger, requestQuota: undefined });
    const event = (resource: string) => ({
      account_id,
      at: '2026-01-01T00:00:00.000Z',
      action: 'x',
      resource,
      key_id: null,
      status: 200,
      cells_written: 2,
      runs: 0,
    });
    usage.add(event('first'));
    await whileHeld('usage_events', () => usage.flush());
    usage.add(event('second'));
    await usage.flush();
    await usage.flush();
    expect(await rows('SELECT resource FROM usage_events ORDER BY event_pk')).toEqual([
      { resource: 'first' },
      { resource: 'second' },
    ]);
    expect(await rows('SELECT requests, cells_written FROM usage_months')).toEqual([
      { requests: '2', cells_written: '4' },
    ]);
  });

  it('of refused sign-ins is in the trail later, each counted once', async () => {
    const refusals = createRefusals({ store, clock: { now: () => 0 }, logger });
    const refused = {
      action: 'sign_in.failed',
      account_id: '',
      object: null,
      address: '192.0.2.1',
      reason: randomBytes(4).toString('hex'),
    } as const;
    refusals.note(refused);
    await whileHeld('audit_events', () => refusals.flush(true));
    refusals.note(refused);
    await refusals.flush(true);
    await refusals.flush(true);
    const found = (await rows(
      `SELECT detail FROM audit_events WHERE action = 'sign_in.failed'`,
    )) as { detail: string }[];
    expect(found.map(({ detail }) => (JSON.parse(detail) as { count: number }).count)).toEqual([2]);
  });
});
