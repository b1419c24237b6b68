import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import type { Json } from '../support/json.ts';
import { IS_LONG, lengthOf, seedOf } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';

const RUNS = { SQLite: lengthOf(2, 30), PostgreSQL: 10 };
const CASE = 'tried';
const ITEMS = ['a', 'b', 'constructor', 'x/y'];
const RULES = readRawMatrix('m12x5').rules.slice(0, 3);

const item_uid = fc.constantFrom(...ITEMS);
const rule_uid = fc.constantFrom(...RULES, ...RULES, 'no_such_rule');
const known = fc.constantFrom(...RULES);
const if_revision = fc.option(fc.nat(2), { nil: undefined, freq: 1 });
const on_conflict = fc.constantFrom('refuse', 'skip', undefined);
const raw_outcome = fc.constantFrom('TRUE', 'FALSE', 'NA', null);

/** A write as anybody may send it: what is asked, and by whom. */
interface Write {
  path: string;
  body: Record<string, unknown>;
  by?: 'person' | 'agent';
}
const inCase = `/api/v1/cases/${CASE}`;
const write = (
  path: string,
  body: fc.Arbitrary<Record<string, unknown>>,
  by: Write['by'] = 'agent',
): fc.Arbitrary<Write> => body.map((sent) => ({ path, by, body: sent }));

const source_value = fc.constant('read it');
const outcome = fc.record({ item_uid, rule_uid, raw_outcome, if_revision, source_value });
const suggestion = fc.record({ item_uid, rule_uid: known, raw_outcome, if_revision, source_value });
const anyWrite = fc.oneof(
  write(
    `${inCase}/evidence`,
    fc.record({
      profile_uid: fc.constant(TRIO),
      items: fc
        .uniqueArray(item_uid, { maxLength: 3 })
        .map((of) => of.map((uid) => ({ item_uid: uid }))),
      outcomes: fc.array(outcome, { maxLength: 4 }),
      on_conflict,
    }),
  ),
  write(
    '/api/v1/evidence',
    fc.record({
      case_uid: fc.constantFrom(CASE, 'no-such-case'),
      profile_uid: fc.constant(TRIO),
      items: fc.array(
        fc.record({
          item_uid,
          label: fc.string({ maxLength: 5 }),
          evidence: fc.array(fc.record({ rule_uid: known, raw_outcome, source_value }), {
            maxLength: 2,
          }),
        }),
        { maxLength: 3 },
      ),
    }),
  ),
  write(
    `${inCase}/suggestions`,
    fc.record({
      profile_uid: fc.constant(TRIO),
      suggestions: fc.uniqueArray(suggestion, {
        minLength: 1,
        maxLength: 4,
        selector: (one) => `${one.item_uid} ${one.rule_uid}`,
      }),
      on_conflict,
    }),
  ),
  write(
    `${inCase}/items/state`,
    fc.record({
      item_uids: fc.uniqueArray(item_uid, { minLength: 1, maxLength: 2 }),
      state: fc.constantFrom('active', 'deleted'),
      reason: fc.constant('tidied'),
    }),
  ),
  write('/api/v1/runs', fc.record({ case_uid: fc.constant(CASE), profile_uid: fc.constant(TRIO) })),
  write(
    '/api/v1/cases',
    fc.record({
      case_uid: fc.constantFrom(CASE, CASE, 'another'),
      title: fc.string({ maxLength: 8 }),
    }),
  ),
  write('/api/v1/projects', fc.record({ name: fc.constantFrom('Project', 'New', ' ') })),
  write(
    `${inCase}/duplicates`,
    fc.record({
      case_uid: fc.constantFrom('copy-1', CASE),
      copy: fc.constantFrom('fields', 'items', 'evidence'),
    }),
  ),
  write(
    `${inCase}/policy`,
    fc.record({ requires_source: fc.constantFrom(false, false, true) }),
    'person',
  ),
  write(`${inCase}/reverts`, fc.constant({ reason: 'a mistake' })),
  write(`${inCase}/suggestions/decisions`, fc.constant({ profile_uid: TRIO }), 'person'),
);

/** What is made anew with each request: names, times, and hashes of what holds them. */
const MADE =
  /\b(?:(?:c1|prj|run|req|rnd)_[A-Za-z0-9_-]+(?:#\d+)?|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]+Z)/g;
/** An answer without what is made anew, and without the cells that only a dry run tells of. */
function comparable({ status, text, body }: TestAnswer, like: Json): unknown {
  const { outcomes: _, outcomes_skipped: __, ...rest } = body as Record<string, unknown>;
  const told = like.outcomes === undefined ? rest : body;
  return [status, text === '' ? text : JSON.stringify(told).replaceAll(MADE, '*')];
}

describe.each(['SQLite', 'PostgreSQL'] as const)('a dry run, on %s', (engine) => {
  let server: TestServer;
  let drop = async (): Promise<void> => {};
  let person: Record<string, string>;
  let project_id: string;
  beforeAll(async () => {
    if (engine === 'PostgreSQL') {
      const made = await makePlainDatabase(SHARED_POSTGRES);
      ({ drop } = made);
      server = await bootServer({ databaseUrl: made.superuserUrl });
    } else server = await bootServer();
    const link = await createSignInLink(server.deps, server.url);
    const { headers } = await server.call('GET', link.slice(server.url.length), { key: null });
    person = { cookie: headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
    project_id = await makeCase(server, CASE);
    const items = ITEMS.map((uid) => ({ item_uid: uid }));
    const body = { profile_uid: TRIO, items };
    expect((await server.call('POST', `${inCase}/evidence`, { body })).status).toBe(200);
  });
  afterAll(async () => {
    await server.close();
    await drop();
  });

  const ask = ({ path, body, by }: Write, query = '', headers = {}): Promise<TestAnswer> =>
    server.call('POST', path + query, {
      body,
      headers: { ...(by === 'person' && person), ...headers },
      ...(by === 'person' && { key: null }),
    });
  /** What a request about what was made before names: the last changes, what waits. */
  async function filled(asked: Write, changes: readonly string[]): Promise<Write> {
    if (asked.path === '/api/v1/cases') return { ...asked, body: { project_id, ...asked.body } };
    if (asked.path.endsWith('/reverts')) return { ...asked, body: { ...asked.body, changes } };
    if (!asked.path.endsWith('/decisions')) return asked;
    const { body } = await server.call('GET', `${inCase}/suggestions?profile_uid=${TRIO}`);
    const decisions = body.data
      .slice(0, 3)
      .map(({ suggestion_id }: Json) => ({ suggestion_id, verdict: 'accept' }));
    return { ...asked, body: { ...asked.body, decisions } };
  }

  it.runIf(engine === 'SQLite' || IS_LONG)(
    'stores nothing, and answers and refuses as the request itself does',
    { timeout: 600_000 },
    async () => {
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(anyWrite, { minLength: 12, maxLength: 24 }), async (writes) => {
          let changes: string[] = ['c1_'.padEnd(46, 'x')];
          for (const planned of writes) {
            const asked = await filled(planned, changes);
            const before = await server.stored();
            const dry = await ask(asked, '?dry_run=true', { 'idempotency-key': 'tried' });
            expect(await server.stored(), planned.path).toBe(before);
            const real = await ask(asked);
            expect(comparable(dry, real.body), planned.path).toEqual(comparable(real, real.body));
            expect(dry.headers.get('dry-run')).toBe(real.status < 300 ? 'true' : null);
            expect([real.headers.get('dry-run'), dry.headers.get('location')]).toEqual([
              null,
              null,
            ]);
            seen.add(`${real.status < 300 ? 'done' : 'refused'} ${planned.path}`);
            if (real.body.changes?.length > 0) ({ changes } = real.body);
          }
        }),
        { numRuns: RUNS[engine], seed: seedOf() },
      );
      expect([...seen].filter((one) => one.startsWith('done')).length).toBeGreaterThan(6);
    },
  );

  it('tells of each cell what would become of it, and of a run its result', async () => {
    await makeCase(server, 'told');
    const path = '/api/v1/cases/told';
    await ask({
      path: `${path}/evidence`,
      body: { profile_uid: TRIO, items: [{ item_uid: 'a' }] },
    });
    const outcomes = [{ item_uid: 'told', rule_uid: RULES[0], raw_outcome: 'FALSE' }];
    const told = await ask(
      {
        path: `${path}/evidence`,
        body: { profile_uid: TRIO, items: [{ item_uid: 'told' }], outcomes },
      },
      '?dry_run=true',
    );
    expect(told.body).toMatchObject({
      items_created: 1,
      outcomes: [{ item_uid: 'told', status: 'written', revision: 1 }],
    });
    const { body } = await ask({
      path: '/api/v1/runs?dry_run=true',
      body: {
        case_uid: 'told',
        profile_uid: TRIO,
        run_uid: 'run_tried',
        allow_unused_profile: true,
      },
    });
    expect(body.result.items).toHaveLength(1);
    expect((await server.call('GET', '/api/v1/runs/run_tried')).status).toBe(404);
    expect((await server.call('GET', `${path}/items/told?profile_uid=${TRIO}`)).status).toBe(404);
  });

  it('is refused where nothing can be tried out, and for another word than true or false', async () => {
    const path = `${inCase}/evidence`;
    const body = { profile_uid: TRIO };
    expect((await ask({ path, body }, '?dry_run=yes')).body).toMatchObject({
      error: 'invalid_query',
      details: [{ path: 'dry_run' }],
    });
    expect((await server.call('GET', '/api/v1/projects?dry_run=true')).status).toBe(400);
  });
});
