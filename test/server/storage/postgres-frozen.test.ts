import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OWNER, setUp, Visitor } from '../../support/visitor.ts';
import { IS_LONG } from '../../support/length.ts';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import {
  makePlainDatabase,
  makeTemplate,
  type PlainDatabase,
} from '../../support/plain-database.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { bootServer, type TestAnswer, type TestServer } from '../../support/server.ts';
import { startStallingLine, type StallingLine } from '../../support/stalling-line.ts';

const CONNECTIONS = 10;
let postgres: RunningPostgres;
let line: StallingLine;
let server: TestServer;
let database: PlainDatabase;

beforeAll(async () => {
  postgres = await startPostgres();
  await makeTemplate(postgres.url);
  line = await startStallingLine({ host: '127.0.0.1', port: Number(new URL(postgres.url).port) });
}, 60_000);
afterAll(async () => {
  await line[Symbol.asyncDispose]();
  await postgres.stop();
});
beforeEach(async () => {
  database = await makePlainDatabase(postgres.url);
  const url = new URL(database.url);
  url.port = String(line.port);
  server = await bootServer({ databaseUrl: url.href, deps: { home: 'hosted' } });
});
afterEach(async () => {
  postgres.thaw();
  line.resume();
  await server.close();
});

const project = (name: string, key: string = randomUUID()): Promise<TestAnswer> =>
  server.call('POST', '/api/v1/projects', { body: { name }, headers: { 'idempotency-key': key } });
const names = async (): Promise<string[]> =>
  (await server.call('GET', '/api/v1/projects')).body.data.map(
    ({ name }: { name: string }) => name,
  );
const ready = async (): Promise<TestAnswer> => server.call('GET', '/readyz', { key: null });
/** What an answer of "not now" has. */
const NOT_NOW = [503, 'unavailable', true];
const seen = ({ status, body, headers }: TestAnswer): unknown[] => [
  status,
  body?.error,
  Number(headers.get('retry-after')) > 0,
];

/** In CI the rest is asked of one of them: the server hears of nothing from either. */
const WAYS = [
  {
    what: 'a PostgreSQL whose processes are stopped',
    freeze: () => postgres.freeze(),
    thaw: () => postgres.thaw(),
    whole: IS_LONG,
  },
  {
    what: 'a network that passes nothing on',
    freeze: () => line.stall(),
    thaw: () => line.resume(),
    whole: true,
  },
  {
    what: 'a balancer that has no PostgreSQL to send anybody to',
    freeze: () => line.refuse(),
    thaw: () => line.resume(),
    whole: false,
  },
];

describe.each(WAYS)('$what', ({ freeze, thaw, whole }) => {
  it('keeps nobody waiting: more requests than connections are told to retry, readiness says why, all works when it is back', async () => {
    const owner = await setUp(server, (await createSetupToken(server.deps))!);
    expect(owner).toBeDefined();
    expect((await project('Before')).status).toBe(201);
    expect((await ready()).status).toBe(200);
    const signIn = await new Visitor(server).open('/login');

    freeze();
    const asked = Array.from({ length: 2 * CONNECTIONS }, (_unused, n) => [
      server.call('GET', '/api/v1/projects'),
      project(`While ${n}`),
      server.call('GET', '/api/v1/sync/events'),
    ]).flat();
    const page = signIn({ email: OWNER.email, password: OWNER.password });
    for (const answer of await Promise.all(asked)) expect(seen(answer)).toEqual(NOT_NOW);
    expect((await page).status).toBe(503);
    // An answer is good for half a second.
    let said!: TestAnswer;
    await expect.poll(async () => (said = await ready()).status, { timeout: 20_000 }).toBe(503);
    expect([...seen(said), said.body.details]).toEqual([
      ...NOT_NOW,
      [{ path: 'database', code: 'unavailable', message: 'The database server does not answer.' }],
    ]);
    expect((await server.call('GET', '/healthz', { key: null })).status).toBe(200);

    thaw();
    // Nobody asks whether it is ready, and it finds out.
    const key = randomUUID();
    await expect
      .poll(async () => (await project('After', key)).status, { timeout: 20_000 })
      .toBe(201);
    expect((await ready()).status).toBe(200);
    expect((await names()).filter((name) => !name.startsWith('While'))).toEqual([
      'Before',
      'After',
    ]);
  });

  it.runIf(whole)(
    'at the commit leaves open whether it is stored, says so, and the same key tells: it is there once',
    async () => {
      const key = randomUUID();
      await database.sql(
        'CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$',
      );
      await database.sql(
        `CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT
        ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_here()`,
      );
      const sent = project('Unknown', key);
      await expect
        .poll(
          async () =>
            (
              await database.sql(
                `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
              )
            ).length,
          { timeout: 20_000 },
        )
        .toBe(1);
      freeze();
      const lost = await sent;
      expect([...seen(lost), lost.body.message]).toEqual([
        ...NOT_NOW,
        expect.stringContaining('Whether it is stored is not known'),
      ]);
      thaw();
      await expect.poll(async () => (await ready()).status, { timeout: 20_000 }).toBe(200);
      await expect
        .poll(async () => (await project('Unknown', key)).status, { timeout: 20_000 })
        .toBe(201);
      expect(await names()).toEqual(['Unknown']);
    },
  );

  it.runIf(whole)('stops nobody from stopping the server', async () => {
    expect((await project('Before')).status).toBe(201);
    freeze();
    const waits = server.call('GET', '/api/v1/projects').catch(() => undefined);
    await server.close();
    await waits;
  });
});
