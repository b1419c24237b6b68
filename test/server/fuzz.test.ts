import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import type { Deps } from '../../src/server/context/deps.ts';
import type {
  OpenApiDocument,
  OperationDocument,
  Parameter,
} from '../../src/server/openapi/shapes.ts';
import type { Uplink } from '../../src/server/context/uplink.ts';
import { createUplink } from '../../src/server/uplink/uplink.ts';
import { API } from '../../src/shared/contract/api.ts';
import type { Entry } from '../../src/sync/change.ts';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { lengthOf, seedOf } from '../support/length.ts';
import { createContractCheck } from '../support/openapi.ts';
import { arbitraryOf, damaged, NASTY } from '../support/schema-arbitrary.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { bootServer, INSTANCES, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';

const ChangeNames = z
  .array(z.string().regex(/^c1_[A-Za-z0-9_-]{43}$/))
  .refine((names) => new Set(names).size === names.length);
/** Answers of two instances take longer to compare. */
const RUNS = INSTANCES === 1 ? lengthOf(3, 30) : 10;
let server: TestServer;
let document: OpenApiDocument;
let cookie: string;
let check: ReturnType<typeof createContractCheck>;
/** Values that exist, by field name: mixed in, so that requests get past the look-up. */
let known: Record<string, string[]>;
/** Digests of the store's tables after the last answer. */
let tables: string;

/** The exchange of a studio that reaches no hosted server. */
const offline = (deps: Deps): Uplink =>
  createUplink({
    ...deps,
    boot: deps.instanceId,
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    keyStore: {
      keep: async () => ({ key_kept: 'memory', sealed_key: null }),
      recall: async () => undefined,
      forget() {},
    },
  });

beforeAll(async () => {
  server = await bootServer(INSTANCES === 1 ? { uplink: offline } : {});
  document = (await server.call('GET', '/api/v1/openapi.json')).body;
  check = createContractCheck(document);
  const project_id = await makeCase(server, 'case-1');
  await recordCell(server, 'case-1');
  const { run_uid: run, content_hash } = (
    await server.call('POST', '/api/v1/runs', { body: { case_uid: 'case-1', profile_uid: TRIO } })
  ).body;
  // The names of profiles that come with the studio are taken: this one is the account's own.
  const own = 'of_this_account';
  const { body: trio } = await server.call('GET', `/api/v1/profiles/${TRIO}?profile_version=1.0`);
  expect(
    (
      await server.call('POST', '/api/v1/profiles', {
        body: { ...trio, profileUid: own, visibility: 'private' },
      })
    ).status,
  ).toBe(201);
  known = {
    project_id: [project_id],
    projectId: [project_id],
    case_uid: ['case-1'],
    caseUid: ['case-1'],
    profile_uid: [TRIO],
    profileUid: [own, TRIO],
    profile_version: ['1.1'],
    rule_uid: ['parents_genotype_missing', 'de_novo_origin_open'],
    item_uid: ['item_1', 'constructor'],
    itemUid: ['item_1'],
    ruleUid: ['parents_genotype_missing'],
    otherUid: [run],
    runUid: [run],
    run_uid: [run],
    content_hash: [content_hash],
    after: ['0', '1'],
  };
  const link = await createSignInLink(server.deps, server.url);
  cookie = (await server.call('GET', link.slice(server.url.length), { key: null })).headers
    .get('set-cookie')!
    .split(';')[0]!;
  await makeRound();
  await makeThread();
  tables = await server.stored();
});
afterAll(() => server.close());

/** A released round in which the key that asks is the recorder. */
async function makeRound(): Promise<void> {
  const asPerson = { key: null, headers: { cookie, origin: server.url } };
  const { body: usage } = await server.call('GET', '/api/v1/usage');
  const { key_id } = usage.api_keys.find(({ name }: { name: string }) => name === 'test');
  const rounds = '/api/v1/cases/case-1/rounds';
  const { body, text } = await server.call('POST', rounds, {
    ...asPerson,
    body: { title: 'Round', recorders: [key_id], profile_uid: TRIO },
  });
  const release = `${rounds}/${body.round_id}/release`;
  const { status } = await server.call('POST', release, { ...asPerson, body: { reason: 'r' } });
  expect(status, text).toBe(200);
  Object.assign(known, {
    roundId: [body.round_id],
    round_id: [body.round_id],
    recorder: [key_id],
  });
}

/** Whatever random requests have made of the case: it is there, and may be written to. */
async function bringCaseBack(): Promise<void> {
  const asPerson = { key: null, headers: { cookie, origin: server.url } };
  for (const path of [`projects/${known['project_id']![0]}/state`, 'cases/case-1/state'])
    await server.call('POST', `/api/v1/${path}`, { ...asPerson, body: { state: 'active' } });
  const { stage } = (await server.call('GET', '/api/v1/cases/case-1/sign-off', asPerson)).body;
  if (stage === 'approved')
    await server.call('POST', '/api/v1/cases/case-1/stage', {
      ...asPerson,
      body: { stage: 'amended', reason: 'r' },
    });
  tables = await server.stored();
}

async function makeThread(): Promise<void> {
  const place = { on: 'item', item_uid: 'item_1' };
  const { body, text } = await server.call('POST', '/api/v1/cases/case-1/threads', {
    body: { place, kind: 'query', text: 'Which read?' },
  });
  expect(body.thread_id, text).toBeDefined();
  known['threadId'] = [body.thread_id];
}

/** The same value with what is known put in its fields, where the dice say so. */
function withKnown(value: unknown, dice: () => number): unknown {
  if (Array.isArray(value)) return value.map((entry) => withKnown(entry, dice));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const values = Object.hasOwn(known, name) ? known[name]! : [];
      return [
        name,
        typeof entry === 'string' && values.length > 0 && dice() < 0.8
          ? values[Math.floor(dice() * values.length)]
          : withKnown(entry, dice),
      ];
    }),
  );
}

interface Call {
  path: string;
  query: string;
  headers: Record<string, string>;
  body: unknown;
}

function parameterValue(parameter: Parameter, valid: boolean): fc.Arbitrary<string> {
  // Nobody waits for what nobody does.
  const fitting =
    parameter.name === 'wait'
      ? fc.constant('0')
      : arbitraryOf(parameter.schema, document.components.schemas).map(String);
  return valid
    ? fitting
    : fc.oneof(
        fitting,
        fc.constantFrom(...NASTY.filter((text) => text.isWellFormed() && text.length < 1_000)),
      );
}

/**
 * Requests of an operation: fitting its description, or with something wrong in any part; `sure` of
 * what exists wherever it can be named.
 */
function calls(
  path: string,
  operation: OperationDocument,
  valid: boolean,
  sure = false,
): fc.Arbitrary<Call> {
  const part = (where: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === where);
  const values = (parameters: Parameter[]) =>
    fc.record(
      Object.fromEntries(
        parameters.map((parameter) => [parameter.name, parameterValue(parameter, valid)]),
      ),
      {
        requiredKeys: parameters
          .filter((parameter) => parameter.required && (valid || parameter.in === 'path'))
          .map((parameter) => parameter.name),
      },
    );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const fitting =
    schema === undefined
      ? fc.constant(undefined)
      : arbitraryOf(schema, document.components.schemas);
  const body =
    schema === undefined || valid
      ? fitting
      : fc.oneof(damaged(fitting), damaged(damaged(fitting)), fc.jsonValue());
  const headers = fc.record(
    {
      'idempotency-key': fc.constantFrom('a', 'b', 'c'),
      'if-match': fc.constantFrom('"v1"', '"v2"', '"x"', '*'),
      'if-none-match': fc.constantFrom('*', '"v1"'),
      'sync-witness': fc.constantFrom('e;1;c', 'x'),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(
      values(part('path')),
      values(part('query')),
      headers,
      body,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      fc.nat(9),
    )
    .map(([params, query, extra, made, stream, luck]) => {
      const dice = (): number => (sure ? 0 : Number(stream.next().value));
      const mixed = withKnown({ params, query, body: made }, dice) as {
        params: Record<string, string>;
        query: Record<string, string>;
        body: unknown;
      };
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, name: string) =>
          encodeURIComponent(mixed.params[name] ?? '').replace(/^\.+$/, '%2e') || '%20',
      );
      const search = Object.entries(mixed.query)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&');
      return {
        path: filled,
        query: search === '' ? '' : `?${search}`,
        headers: luck < 2 && !sure ? (extra as Record<string, string>) : {},
        body: mixed.body,
      };
    });
}

async function tryCall(
  method: string,
  operation: OperationDocument,
  call: Call,
  key?: string,
): Promise<number> {
  const person = operation.security.every((way) => way['session'] !== undefined);
  const answer = await server.call(method, call.path + call.query, {
    headers: { ...call.headers, ...(person && { cookie, origin: server.url }) },
    ...(person ? { key: null } : key !== undefined && { key }),
    ...(call.body !== undefined && { body: call.body }),
  });
  expect(answer.status, answer.text).toBeLessThan(500);
  // The description is of JSON; a table that was asked for is none.
  if (answer.headers.get('content-type')?.startsWith('text/csv') !== true)
    expect(check.problem(operation, answer.status, answer.body, answer.headers)).toBeUndefined();
  const now = await server.stored();
  if (answer.status >= 400 || method === 'GET')
    expect(now, `${answer.status} ${answer.text}`).toBe(tables);
  tables = now;
  return answer.status;
}

/** Operations of a studio's exchange, which a hosted server refuses. */
const OF_STUDIOS = [
  'disconnectUplink',
  'syncUplink',
  'uplinkDiagnostics',
  'listUnsentChanges',
  'listUplinkLinks',
  'startPairing',
];
/**
 * Operations whose random input all but never names something that fits together, and those of
 * teams, which only a hosted server takes.
 */
const RARELY_ACCEPTED = new Set([
  'switchAccount',
  'changeMember',
  'removeMember',
  'createInvitation',
  'withdrawInvitation',
  'endSession',
  'changePassword',
  'createAccount',
  'revertChanges',
  'createSubscription',
  'endSubscription',
  'duplicateCase',
  'carryForward',
  'setItemsState',
  'settleField',
  'settleProjectField',
  'settleCaseDocument',
  'decideProfileCollision',
  'syncPush',
  'syncPutBlobs',
  'syncGetBlobs',
  'syncPutBlob',
  'syncGetBlob',
  'syncPutRun',
  'syncGetRun',
  'revokeKey',
  'limitKey',
  'letKeySync',
  'decidePairing',
  'collectKey',
  'exportLayer',
  'importLayer',
  'connectUplink',
  'shareProject',
  ...(INSTANCES === 1 ? [] : OF_STUDIOS),
]);

describe('random requests', () => {
  const operations = API.map((endpoint) => [endpoint.id, endpoint] as const);

  it.each(operations)(
    '%s answers as its description says, whatever it is sent',
    { timeout: 60_000 },
    async (id, endpoint) => {
      const operation = document.paths[endpoint.path]![endpoint.method.toLowerCase()]!;
      const statuses = new Set<number>();
      let seed = seedOf();
      const throwAt = (valid: boolean, sure = false): Promise<void> =>
        fc.assert(
          fc.asyncProperty(
            calls(endpoint.path, operation, valid, sure),
            async (call) => void statuses.add(await tryCall(endpoint.method, operation, call)),
          ),
          // Each play another one: the dice may have named nothing that exists.
          { numRuns: RUNS, seed: (seed += 1) },
        );
      await throwAt(true);
      await throwAt(false);
      if (RARELY_ACCEPTED.has(id)) return;
      if (Math.min(...statuses) >= 300) await bringCaseBack();
      for (let more = 0; Math.min(...statuses) >= 300 && more < 50; more += 1)
        await throwAt(true, true);
      expect(Math.min(...statuses), `${id} was never accepted`).toBeLessThan(300);
    },
  );

  describe('on both databases', () => {
    /** The same server on PostgreSQL, where the first one is not. */
    let beside: TestServer | undefined;
    beforeAll(async () => {
      if (INSTANCES > 1) return;
      const { url } = await makePlainDatabase(SHARED_POSTGRES);
      beside = await bootServer({ databaseUrl: url });
      await makeCase(beside, 'case-1');
      await recordCell(beside, 'case-1');
    }, 60_000);
    afterAll(async () => {
      await beside?.close();
    });

    const text = fc.oneof(
      { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }) },
      { weight: 1, arbitrary: fc.constantFrom('\0', '\0#0', `c1_${'A'.repeat(43)}#0`) },
    );
    const items = ['item_1', 'item_2', 'item_3'];
    const rules = ['parents_genotype_missing', 'de_novo_origin_open', 'rule_of_nobody'];
    const outcome = fc
      .tuple(
        fc.constantFrom(...items),
        fc.constantFrom(...rules),
        fc.constantFrom('TRUE', 'FALSE', 'NA'),
      )
      .map(([item, rule, raw]) =>
        unseenOutcome({ profile: TRIO, version: '1.1', rule, item }, raw),
      );
    const deletion = fc.tuple(fc.constantFrom(...items), fc.boolean()).map(([item, deleted]) => ({
      op: 'set',
      parents: [],
      reg: `item/x/${item}`,
      value: { deleted },
    }));
    const any = fc.record({
      op: fc.oneof(fc.constantFrom('set', 'resolve', 'announce'), text),
      parents: fc.array(text, { maxLength: 3 }),
      reg: fc.oneof(
        fc.constantFrom(
          'case/title',
          'case/x',
          'item/x/item_1',
          'item/position/item_1',
          'item/label/new',
          'case/project_id',
          'project/name',
          'project/x',
          'profile/a@1.0',
          'run/x',
        ),
        text,
      ),
      value: fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom(
          { deleted: true },
          { deleted: false },
          'prj_00000000000000000000000fzz',
          'A name',
        ),
      ),
    });
    const batch = fc.array(
      fc.array(
        fc.oneof(
          { weight: 3, arbitrary: outcome },
          { weight: 2, arbitrary: deletion },
          { weight: 2, arbitrary: any },
        ),
        { minLength: 1, maxLength: 8 },
      ),
      { minLength: 1, maxLength: 4 },
    );

    it.each(['case-1', 'came-by-push', '@profiles', '@project/prj_00000000000000000000000fzz'])(
      'syncPush to %s takes any sealed change, and quarantines what it does not know',
      { timeout: 120_000 },
      async (stream) => {
        const operation = document.paths['/api/v1/sync/cases/{caseUid}/push']!['post']!;
        const path = `/api/v1/sync/cases/${encodeURIComponent(stream)}/push`;
        const bodyFor = (to: TestServer, changes: Entry[][]) => ({
          protocol: 1,
          changes: changes.map((entries) =>
            wireChange(stream, to.deps.store.local.user_id, entries),
          ),
        });
        await fc.assert(
          fc.asyncProperty(batch, async (changes) => {
            const status = await tryCall(
              'POST',
              operation,
              { path, query: '', headers: {}, body: bodyFor(server, changes) },
              server.syncKey,
            );
            // It may have deleted the case.
            expect([200, 404]).toContain(
              (await server.call('GET', `/api/v1/cases/case-1/evidence?profile_uid=${TRIO}`))
                .status,
            );
            for (const asked of [
              '/api/v1/cases',
              '/api/v1/projects',
              '/api/v1/profiles',
              '/api/v1/sync/cases',
              `/api/v1/sync/cases/${encodeURIComponent(stream)}/changes?after=0`,
            ])
              expect((await server.call('GET', asked)).status, asked).toBe(200);
            if (beside === undefined) return;
            const there = await beside.call('POST', path, {
              key: beside.syncKey,
              body: bodyFor(beside, changes),
            });
            expect(there.status, there.text).toBe(status);
          }),
          { numRuns: RUNS },
        );
      },
    );

    it(
      'recordEvidence answers alike to names that are known and names that nobody knows',
      { timeout: 120_000 },
      async () => {
        // Other tests here may have deleted it.
        for (const one of [server, beside])
          if (one !== undefined) await makeCase(one, 'case-names');
        const body = fc.record(
          {
            profile_uid: fc.constantFrom(TRIO, TRIO, TRIO, 'profile_of_nobody'),
            items: fc.array(fc.record({ item_uid: fc.constantFrom(...items) }), { maxLength: 3 }),
            outcomes: fc.array(
              fc.record({
                item_uid: fc.constantFrom(...items),
                rule_uid: fc.oneof(fc.constantFrom(...rules), fc.constant('rule_of_nobody')),
                raw_outcome: fc.constantFrom('TRUE', 'FALSE', 'NA', null),
              }),
              { maxLength: 5 },
            ),
          },
          { requiredKeys: ['profile_uid'] },
        );
        await fc.assert(
          fc.asyncProperty(body, async (sent) => {
            const path = '/api/v1/cases/case-names/evidence';
            const here = await server.call('POST', path, { body: sent });
            expect(here.status, here.text).toBeLessThan(500);
            if (beside === undefined) return;
            const there = await beside.call('POST', path, { body: sent });
            // A change is named by its content, of which the store's own user and the time are a
            // part.
            const plain = ({
              request_id: _,
              changes,
              ...rest
            }: Record<string, unknown>): unknown => ({
              ...rest,
              changes: changes === undefined ? undefined : ChangeNames.parse(changes).length,
            });
            expect([there.status, plain(there.body)]).toEqual([here.status, plain(here.body)]);
          }),
          { numRuns: 2 * RUNS },
        );
        tables = await server.stored();
      },
    );
  });
});
