import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeCase, recordCell, TRIO } from '../../support/evidence.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { bootServer, type TestServer } from '../../support/server.ts';

const WORKERS = 6;
/** Texts that answers are made of; the other type needs no table to be written anew. */
const TEXTS = [
  'projects.description',
  'cases.description',
  'items.label',
  'streams.hlc',
  'runs.entry',
  'idempotency.body',
  'api_keys.name',
  'users.name',
  'accounts.name',
  'rules.rule_uid',
  'audit_heads.hash',
];

let database: PlainDatabase;
let server: TestServer;
let clients: Set<pg.Client>;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  server = await bootServer({ databaseUrl: database.url });
  for (let n = 0; n < WORKERS; n += 1) {
    await makeCase(server, `case-${n}`);
    await recordCell(server, `case-${n}`);
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => round(n)));
  // The server's, and that of its migration, which has ended.
  clients = new Set(
    (sent.mock.contexts as pg.Client[]).filter((client) => client.user === 'studio'),
  );
  sent.mockRestore();
}, 60_000);
afterAll(async () => {
  await server.close();
  await database.drop();
});

let rounds = 0;
/** What an agent does, each request answered as if nothing were. */
async function round(n: number): Promise<void> {
  const nth = (rounds += 1);
  const uid = `case-${n}`;
  const matrix = `/api/v1/cases/${uid}/evidence?profile_uid=${TRIO}`;
  const asked: [string, string, unknown?][] = [
    ['GET', '/api/v1/projects'],
    ['GET', '/api/v1/cases'],
    ['GET', matrix],
    ['GET', '/api/v1/runs'],
    ['GET', `/api/v1/sync/cases/${uid}/changes?after=0`],
    ['POST', '/api/v1/projects', { name: `Round ${nth}` }],
    [
      'POST',
      `/api/v1/cases/${uid}/evidence`,
      {
        profile_uid: TRIO,
        items: [{ item_uid: `item_${nth}` }],
        outcomes: [
          {
            item_uid: 'item_1',
            rule_uid: 'parents_genotype_missing',
            raw_outcome: nth % 2 === 0 ? 'TRUE' : 'FALSE',
          },
        ],
      },
    ],
    ['POST', '/api/v1/runs', { case_uid: uid, profile_uid: TRIO }],
  ];
  for (const [method, path, body] of asked) {
    const { status, text } = await server.call(method, path, {
      ...(body !== undefined && { body, headers: { 'idempotency-key': `${method}${path}${nth}` } }),
    });
    expect(status, `${method} ${path}: ${text.slice(0, 300)}`).toBeLessThan(300);
  }
}

/** Does `change` while all of them work, and has each work on for a whole round after it. */
async function meanwhile(change: () => Promise<unknown>): Promise<void> {
  let done = false;
  const workers = Array.from({ length: WORKERS }, async (_, n) => {
    while (!done) await round(n);
    await round(n);
  });
  await Promise.all([change().finally(() => (done = true)), ...workers]);
}

describe('tables that another instance alters while this one works', () => {
  it('get a column each, and no request fails', async () => {
    const tables = await database.sql(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables.length).toBeGreaterThan(30);
    await meanwhile(async () => {
      for (const { tablename } of tables)
        await database.sql(`ALTER TABLE ${String(tablename)} ADD COLUMN later TEXT`);
    });
  });

  it('have columns of other types, and no request fails', async () => {
    await meanwhile(async () => {
      for (const [table, column] of TEXTS.map((text) => text.split('.')))
        await database.sql(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE VARCHAR COLLATE "C"`);
    });
  });
});

describe('connections that a pooler has reset', () => {
  it('prepare their statements again', async () => {
    expect(clients.size).toBeGreaterThan(1);
    for (const client of clients) await client.query('DEALLOCATE ALL').catch(() => {});
    await meanwhile(async () => {});
  });
});

describe('a database that was restored while the server works', () => {
  const RULE = 'parents_genotype_missing';
  const numberOf = async (rule: string): Promise<unknown> =>
    (await database.sql('SELECT rule_pk FROM rules WHERE rule_uid = $1', [rule]))[0]?.rule_pk;
  const rename = (from: string, to: string): Promise<unknown> =>
    database.sql('UPDATE rules SET rule_uid = $2 WHERE rule_uid = $1', [from, to]);
  /** Which rule a recorded outcome is shown at. */
  async function shownAt(caseUid: string): Promise<unknown> {
    await makeCase(server, caseUid);
    const recorded = await recordCell(server, caseUid);
    expect(recorded.status, recorded.text).toBe(200);
    const { body } = await server.call(
      'GET',
      `/api/v1/cases/${caseUid}/evidence?profile_uid=${TRIO}`,
    );
    return body.items[0].evidence
      .filter((cell: { raw_outcome: unknown }) => cell.raw_outcome !== null)
      .map((cell: { rule_uid: string }) => cell.rule_uid);
  }

  it('has rule names under other numbers than before, and what is recorded stands at its own rule', async () => {
    const other = 'de_novo_origin_open';
    await server.call('POST', '/api/v1/cases/case-0/evidence', {
      body: {
        profile_uid: TRIO,
        outcomes: [{ item_uid: 'item_1', rule_uid: other, raw_outcome: 'NA' }],
      },
    });
    const former = await numberOf(RULE);
    await rename(RULE, 'on its way');
    await rename(other, RULE);
    await rename('on its way', other);
    expect(await numberOf(RULE)).not.toBe(former);
    expect(await shownAt('renumbered')).toEqual([RULE]);
  });

  it('lacks a number that there was, and gets another', async () => {
    await database.sql('DELETE FROM tallies WHERE rule_pk = $1', [await numberOf(RULE)]);
    await database.sql('UPDATE rules SET rule_pk = rule_pk + 1000 WHERE rule_uid = $1', [RULE]);
    expect(await shownAt('lost')).toEqual([RULE]);
  });
});
