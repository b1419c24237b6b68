import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresSession } from '../../../src/server/storage/db/postgres/postgres-session.ts';
import { analyzeGrown } from '../../../src/server/storage/db/postgres/statistics.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { testPorts } from '../../contract/world.ts';

const CASES = 2_000;

let database: PlainDatabase;
let owner: pg.Client;
let client: pg.PoolClient;
let pool: pg.Pool;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  const store = await openStore({ kind: 'postgres', url: database.url }, testPorts());
  await store.close();
  const superuser = new URL(database.url);
  superuser.username = new URL(SHARED_POSTGRES).username;
  owner = new pg.Client({ connectionString: superuser.href });
  await owner.connect();
  pool = new pg.Pool({ connectionString: database.url, pipeline: true });
  client = await pool.connect();
});
afterAll(async () => {
  client.release();
  await Promise.all([owner.end(), pool.end()]);
  await database.drop();
});

const indexUsed = async (): Promise<string | undefined> => {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE by_id(1, 'case-1')`);
  return /"Index Name":"(\w+)"/.exec(JSON.stringify(rows))?.[1];
};

test('a plan that was made while a table was empty is replaced when it has grown', async () => {
  const session = PostgresSession.on(client);
  await client.query(
    `SET plan_cache_mode = force_generic_plan;
     PREPARE by_id AS SELECT case_pk FROM cases WHERE account = $1 AND case_uid = $2`,
  );
  const before = await indexUsed();
  expect(await analyzeGrown(session)).toEqual([]);
  await owner.query(
    `SET session_replication_role = replica;
     INSERT INTO cases (account, stream_pk, case_uid, project_id, title, description, case_type,
       metadata, created_at, updated_at)
     SELECT account, n, 'case-' || n, 'p', '', '', '', '{}', '', ''
     FROM accounts, generate_series(1, ${CASES}) AS n`,
  );
  // Beside the key there are indexes that begin with the account.
  expect(before).not.toBe('cases_by_uid');
  expect(await indexUsed()).toBe(before);
  expect(await analyzeGrown(session)).toEqual(['cases']);
  expect(await indexUsed()).toBe('cases_by_uid');
  // PostgreSQL tells of it with a delay.
  await expect.poll(() => analyzeGrown(session)).toEqual([]);
});
