import { ofOwnAccount } from '../support/own-account.ts';
import { asStream, asUser } from '../support/ids.ts';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostedClient, type HostedClient } from '../../src/server/uplink/client.ts';
import { fetchRun, sendRun } from '../../src/server/uplink/runs.ts';
import type { Author, Change, Entry } from '../../src/sync/change.ts';
import { entryName } from '../../src/sync/change.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { callInProcess } from '../support/in-process.ts';
import type { Json } from '../support/json.ts';
import { ENGINES, lengthOf, seedOf } from '../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';

/** `EVIDENCE_TEST_MINUTES=60` plays that long, with fresh seeds. */
const MINUTES = Number(process.env['EVIDENCE_TEST_MINUTES'] ?? '0');
const RULES = readRawMatrix('m12x5').rules.slice(0, 3);
const ITEMS = ['b', 'a', 'c 1', 'ß'];
const OUTCOMES = ['TRUE', 'FALSE', 'NA', null] as const;

interface Cell {
  item: number;
  rule: number;
  outcome: number;
}
type Step =
  | { do: 'record'; by: number; cells: Cell[] }
  | { do: 'import'; cells: Cell[] }
  | { do: 'relay'; cells: Cell[] }
  | { do: 'undo'; at: number }
  | { do: 'revert'; by: number };

const cell: fc.Arbitrary<Cell> = fc.record({
  item: fc.nat(ITEMS.length - 1),
  rule: fc.nat(RULES.length - 1),
  outcome: fc.nat(OUTCOMES.length - 1),
});
const cells = fc.uniqueArray(cell, {
  minLength: 1,
  maxLength: 6,
  selector: ({ item, rule }) => item * RULES.length + rule,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('record' as const), by: fc.nat(2), cells }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('import' as const), cells }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relay' as const), cells }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), at: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revert' as const), by: fc.nat(1) }) },
);

/**
 * The answer's runs of authors, read by the documentation alone: `author` or `authorxcount`, in row
 * order of the recorded cells.
 */
function unfold({ authors, cells: text }: { authors: Json[]; cells: string }): Json[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [author = '', count = '1'] = part.split('x');
      return new Array<Json>(Number(count)).fill(authors[Number(author)]);
    });
}

/** Who recorded each outcome of a run, by item and rule. */
function byCell(run: Json, recorders: Json): [string, Json][] {
  const said = unfold(recorders);
  const { items, rules, raw } = run.frozen as {
    items: { item_uid: string }[];
    rules: string[];
    raw: (string | null)[][];
  };
  const recorded = items.flatMap(({ item_uid }, row) =>
    rules.flatMap((rule, column) => (raw[row]![column] === null ? [] : [`${item_uid} ${rule}`])),
  );
  expect(said).toHaveLength(recorded.length);
  return recorded
    .map((name, index): [string, Json] => [name, said[index]])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

describe.each(ENGINES)('who recorded the outcomes of a run on %s', (engine) => {
  const databases: PlainDatabase[] = [];
  let [home, hosted, third]: TestServer[] = [];
  let keys: string[] = [];
  let cases = 0;
  const boot = async (): Promise<TestServer> => {
    if (engine === 'SQLite') return bootServer();
    const database = await makePlainDatabase(SHARED_POSTGRES);
    databases.push(database);
    return bootServer({ databaseUrl: database.url });
  };
  beforeAll(async () => {
    [home, hosted, third] = await Promise.all([boot(), boot(), boot()]);
    keys = [home.key, await home.makeKey({ name: 'Reader of reports', scopes: ['read', 'write'] })];
  }, 60_000);
  afterAll(async () => {
    await Promise.all([home, hosted, third].flatMap((server) => server?.close() ?? []));
    await Promise.all(databases.map((database) => database.drop()));
  });

  const window = (method: string, path: string, body: unknown) =>
    callInProcess(home!.server, method, path, { body });
  const record = async (by: number, path: string, body: unknown) =>
    by === 2 ? window('POST', path, body) : home!.call('POST', path, { key: keys[by]!, body });
  const push = (uid: string, change: ReturnType<typeof wireChange>) =>
    home!.call('POST', `/api/v1/sync/cases/${uid}/push`, {
      key: home!.syncKey,
      body: { protocol: 1, changes: [change] },
    });
  const registerOf = ({ item, rule }: Pick<Cell, 'item' | 'rule'>): string =>
    `a/${TRIO}@1.1/${RULES[rule]}/${ITEMS[item]}`;
  const clientOf = (
    server: TestServer,
    answer: (url: string, init: RequestInit) => Promise<Response> = fetch,
  ): HostedClient =>
    createHostedClient(
      { origin: server.url, key: server.syncKey, gzip: false },
      {
        fetch: ((input, init) => answer(input as string, init!)) as typeof fetch,
        traffic: { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 },
      },
    );
  const recordersOf = async (
    server: TestServer,
    run: { run_uid: string; content_hash: string },
    key = server.key,
  ): Promise<Json> =>
    (
      await server.call(
        'GET',
        `/api/v1/runs/${run.run_uid}/recorders?content_hash=${run.content_hash}`,
        { key },
      )
    ).body;

  async function play(uid: string, one: Step): Promise<void> {
    const { store } = home!.deps;
    const { account_id, user_id } = store.local;
    if (one.do === 'record') {
      const outcomes = one.cells.map(({ item, rule, outcome }) => ({
        item_uid: ITEMS[item],
        rule_uid: RULES[rule],
        raw_outcome: OUTCOMES[outcome],
        notes: outcome === 3 ? 'cleared' : null,
      }));
      expect(
        (
          await record(one.by, `/api/v1/cases/${uid}/evidence`, {
            profile_uid: TRIO,
            items: ITEMS.map((item_uid) => ({ item_uid })),
            outcomes,
          })
        ).status,
      ).toBe(200);
    } else if (one.do === 'import' || one.do === 'relay') {
      const by: Author =
        one.do === 'import'
          ? { user: user_id, kind: 'import', agent: null, key: null }
          : {
              user: asUser('usr_nobodyhereknowsthis0000000000'),
              kind: 'human',
              agent: null,
              key: null,
              name: 'Colleague elsewhere',
            };
      const entries = one.cells.map((at): Entry => ({
        op: 'set',
        parents: [],
        reg: registerOf(at),
        value: { raw_outcome: OUTCOMES[at.outcome] ?? null },
      }));
      expect((await push(uid, wireChange(uid, by, entries))).status).toBe(200);
    } else if (one.do === 'undo') {
      const { changes } = await store.read(
        (reader) => reader.log.changes(account_id, asStream(uid), 0, 2_000, undefined),
        account_id,
      );
      const written = changes.flatMap(({ id, change }) =>
        (JSON.parse(change) as Change).entries.flatMap(({ reg, value }, index) =>
          reg.startsWith('a/') ? [{ name: entryName(id, index), reg, value }] : [],
        ),
      );
      const back = written[one.at % Math.max(1, written.length)];
      const shown = back && written.findLast(({ reg }) => reg === back.reg);
      if (back === undefined || shown === undefined) return;
      const undo: Entry = {
        op: 'set',
        parents: [shown.name],
        reg: back.reg,
        value: back.value,
        restores: back.name,
      };
      expect((await push(uid, wireChange(uid, user_id, [undo]))).status).toBe(200);
    } else if (one.do === 'revert') {
      await window('POST', `/api/v1/cases/${uid}/reverts`, {
        key_id: keys[one.by]!.slice(4, 14),
        since: '2020-01-01T00:00:00.000Z',
        reason: 'wrong sheet',
      });
    }
  }

  async function freeze(uid: string): Promise<Json> {
    const { status, body } = await home!.call('POST', '/api/v1/runs', {
      body: { case_uid: uid, profile_uid: TRIO, accept_contested: true, reason: 'as it is' },
    });
    expect([status, body.error]).toEqual([201, undefined]);
    return body;
  }

  async function newCase(steps: readonly Step[]): Promise<string> {
    cases += 1;
    const uid = `who-${cases}`;
    await makeCase(home!, uid);
    await home!.call('POST', `/api/v1/cases/${uid}/evidence`, {
      body: { profile_uid: TRIO, items: ITEMS.map((item_uid) => ({ item_uid })) },
    });
    for (const one of steps) await play(uid, one);
    return uid;
  }
  const MIXED: Step[] = [
    {
      do: 'record',
      by: 0,
      cells: [
        { item: 0, rule: 0, outcome: 0 },
        { item: 0, rule: 1, outcome: 1 },
      ],
    },
    { do: 'record', by: 1, cells: [{ item: 1, rule: 0, outcome: 2 }] },
    {
      do: 'record',
      by: 2,
      cells: [
        { item: 2, rule: 2, outcome: 1 },
        { item: 0, rule: 1, outcome: 0 },
      ],
    },
    { do: 'import', cells: [{ item: 3, rule: 0, outcome: 0 }] },
    { do: 'relay', cells: [{ item: 3, rule: 1, outcome: 0 }] },
  ];

  it(
    'F8 are stated with it as the evidence said when it was frozen, here and wherever it is brought',
    { timeout: 300_000 + MINUTES * 60_000 },
    async () => {
      const until = Date.now() + MINUTES * 60_000;
      let seed = seedOf();
      do {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
            for (const server of [home, hosted, third]) server!.advance(60_000);
            const uid = await newCase(steps);
            const evidence = (
              await home!.call('GET', `/api/v1/cases/${uid}/evidence?profile_uid=${TRIO}&limit=200`)
            ).body.items as { evidence: Json[] }[];
            const run = await freeze(uid);
            const wanted = evidence
              .flatMap((item) => item.evidence)
              .filter(({ raw_outcome }) => raw_outcome !== null)
              .map((one): [string, Json] => [`${one.item_uid} ${one.rule_uid}`, one.recorded_by])
              .toSorted(([a], [b]) => (a < b ? -1 : 1));
            const stated = await recordersOf(home!, run);
            expect(stated).toMatchObject({
              run_uid: run.run_uid,
              content_hash: run.content_hash,
            });
            expect(byCell(run, stated.recorders)).toEqual(wanted);
            await play(uid, {
              do: 'record',
              by: 1,
              cells: ITEMS.map((_, item) => ({ item, rule: 0, outcome: 1 })),
            });
            expect(await recordersOf(home!, run)).toEqual(stated);
            expect(
              await sendRun(clientOf(hosted!), ofOwnAccount(home!.deps.store), run.run_uid),
            ).toEqual({ kind: 'done' });
            expect(await recordersOf(hosted!, run)).toEqual(stated);
            expect(
              await fetchRun(
                clientOf(hosted!),
                ofOwnAccount(third!.deps.store),
                run.run_uid,
                run.content_hash,
              ),
            ).toEqual({ kind: 'done' });
            expect(await recordersOf(third!, run)).toEqual(stated);
          }),
          { numRuns: lengthOf(3, 20), seed },
        );
        seed = randomInt(2 ** 31);
      } while (Date.now() < until);
    },
  );

  it('F8 are in no answer that did not ask, and viewers see no keys in them', async () => {
    const run = await freeze(await newCase(MIXED));
    const stated = await recordersOf(home!, run);
    expect(stated.recorders.authors).toHaveLength(5);
    const viewer = await home!.makeKey({
      user: { name: 'Vera', role: 'viewer' },
      scopes: ['read'],
    });
    for (const path of [
      `/api/v1/runs/${run.run_uid}/recorders`,
      `/api/v1/sync/runs/${run.content_hash}?run_uid=${run.run_uid}`,
    ]) {
      const [seen, full] = [
        await home!.call('GET', path, { key: viewer }),
        await home!.call('GET', path),
      ];
      expect([seen.status, full.status]).toEqual([200, 200]);
      for (const key of keys) {
        expect(seen.text).not.toContain(key.slice(4, 14));
        expect(full.text).toContain(key.slice(4, 14));
      }
      expect(byCell(run, seen.body.recorders)).toEqual(
        byCell(run, stated.recorders).map(([name, { key_id: _, ...author }]) => [name, author]),
      );
    }
    for (const path of [
      `/api/v1/runs/${run.run_uid}`,
      '/api/v1/runs?limit=1',
      `/api/v1/sync/runs/${run.content_hash}`,
      `/api/v1/sync/runs/${run.content_hash}?run_uid=${run.run_uid}&verify=1`,
    ])
      expect((await home!.call('GET', path)).body, path).not.toHaveProperty('recorders');
    // Two keys of one name are one author to a viewer.
    const twin = await home!.makeKey({ name: 'Reader of reports' });
    const uid = await newCase(MIXED.slice(1, 2));
    expect(
      (
        await home!.call('POST', `/api/v1/cases/${uid}/evidence`, {
          key: twin,
          body: {
            profile_uid: TRIO,
            outcomes: [{ item_uid: ITEMS[2], rule_uid: RULES[0], raw_outcome: 'TRUE' }],
          },
        })
      ).status,
    ).toBe(200);
    const two = await freeze(uid);
    expect([
      (await recordersOf(home!, two)).recorders.authors.length,
      (await recordersOf(home!, two, viewer)).recorders,
    ]).toEqual([2, { authors: [{ kind: 'agent', name: 'Reader of reports' }], cells: '0x2' }]);
    expect((await home!.call('GET', '/api/v1/runs/run_nowhere/recorders')).body.error).toBe(
      'not_found',
    );
  });

  it('F8 that nobody could have frozen are refused, with nothing changed', async () => {
    const run = await freeze(await newCase(MIXED));
    const {
      manifest,
      runs: [ticket],
      recorders,
    } = (await home!.call('GET', `/api/v1/sync/runs/${run.content_hash}?run_uid=${run.run_uid}`))
      .body;
    const { manifest: text } = (await home!.call('GET', `/api/v1/sync/runs/${run.content_hash}`))
      .body;
    const names = [
      ...new Set([...text.matchAll(/"([0-9a-f]{64})"/g)].map(([, name]: string[]) => name!)),
    ];
    const { blobs } = (await home!.call('GET', `/api/v1/sync/blobs?names=${names.join(',')}`)).body;
    expect(
      (
        await hosted!.call('POST', '/api/v1/sync/blobs', {
          key: hosted!.syncKey,
          body: { blobs },
        })
      ).status,
    ).toBe(200);
    const put = (sent: unknown, key = hosted!.syncKey) =>
      hosted!.call('PUT', `/api/v1/sync/runs/${run.content_hash}`, {
        key,
        body: { manifest, run: ticket, ...(sent !== undefined && { recorders: sent }) },
      });
    const { authors, cells: own } = recorders as { authors: Json[]; cells: string };
    const [first] = authors;
    const hostile: [what: string, sent: unknown][] = [
      ['one cell more', { authors, cells: `${own},0` }],
      ['one cell fewer', { authors, cells: own.slice(0, own.lastIndexOf(',')) }],
      ['none of the cells', { authors: [], cells: '' }],
      [
        'an author that is not listed',
        { authors, cells: own.replace(/\d+$/, String(authors.length)) },
      ],
      ['an author of nothing', { authors: [...authors, first], cells: own }],
      ['authors gone', { authors: authors.slice(1), cells: own }],
      ['a count of none', { authors, cells: `${own},0x0` }],
      ['a negative author', { authors, cells: `${own},-1` }],
      ['a count beyond all cells', { authors: [first], cells: '0x99999999999999999999' }],
      ['a zero in front', { authors, cells: own.replace(/^0/, '00') }],
      ['a comma at the end', { authors, cells: `${own},` }],
      ['letters', { authors, cells: 'abc' }],
      ['numbers', { authors, cells: [0, 1] }],
      [
        'too long a name',
        { authors: [{ ...first, name: 'x'.repeat(501) }, ...authors.slice(1)], cells: own },
      ],
      ['no name', { authors: [{ kind: 'human' }, ...authors.slice(1)], cells: own }],
      [
        'too long a key',
        { authors: [{ ...first, key_id: 'x'.repeat(65) }, ...authors.slice(1)], cells: own },
      ],
      ['another kind', { authors: [{ ...first, kind: 'robot' }, ...authors.slice(1)], cells: own }],
      ['another member', { authors, cells: own, extra: 1 }],
      [
        'another member of an author',
        { authors: [{ ...first, role: 'owner' }, ...authors.slice(1)], cells: own },
      ],
      ['null', null],
      ['a text', 'x'],
      ['a list', []],
      ['too many authors', { authors: new Array(10_001).fill(first), cells: own }],
      ['an endless text', { authors, cells: `${'0,'.repeat(2_200_000)}0` }],
    ];
    const before = await hosted!.stored();
    for (const [what, sent] of hostile) {
      const { status, body } = await put(sent);
      expect([what, status, body.error], JSON.stringify(body).slice(0, 300)).toEqual([
        what,
        422,
        'validation_failed',
      ]);
      expect([
        what,
        body.details.every(({ path }: { path: string }) => path.startsWith('/recorders')),
      ]).toEqual([what, true]);
    }
    // A program cannot put others' names to outcomes that it brings.
    const program = await put(recorders, hosted!.key);
    expect([program.status, program.body.error]).toEqual([403, 'author_not_allowed']);
    expect(await hosted!.stored()).toBe(before);
    expect((await put(undefined)).status).toBe(201);
    expect((await recordersOf(hosted!, run)).recorders).toBeNull();
    // What is stored is never changed: they came too late.
    expect((await put(recorders)).status).toBe(200);
    expect((await recordersOf(hosted!, run)).recorders).toBeNull();
    // A second run of the same content is judged by that content.
    const again = { ...ticket, run_uid: `${ticket.run_uid}_again` };
    const second = (sent: unknown) =>
      hosted!.call('PUT', `/api/v1/sync/runs/${run.content_hash}`, {
        key: hosted!.syncKey,
        body: { manifest, run: again, recorders: sent },
      });
    expect((await second({ authors, cells: `${own},0` })).status).toBe(422);
    expect((await second(recorders)).status).toBe(201);
    expect((await recordersOf(hosted!, { ...run, run_uid: again.run_uid })).recorders).toEqual(
      recorders,
    );
  });

  it('F8 are left out for a server that does not know them, and absent where one does not send them', async () => {
    const run = await freeze(await newCase(MIXED));
    const old = (server: TestServer) =>
      clientOf(server, async (url, init) => {
        if (
          init.method === 'PUT' &&
          (await new Response(init.body ?? null).text()).includes('"recorders":')
        ) {
          return Response.json(
            {
              error: 'validation_failed',
              message: 'Unknown.',
              details: [
                {
                  path: '/recorders',
                  code: 'unknown_field',
                  message: 'This field is not known here.',
                },
              ],
              request_id: 'r',
            },
            { status: 422 },
          );
        }
        const answer = await fetch(url, init);
        if (init.method !== 'GET' || !url.includes('/sync/runs/')) return answer;
        const { recorders: _, ...body } = (await answer.json()) as Record<string, unknown>;
        return Response.json(body);
      });
    expect(await sendRun(old(hosted!), ofOwnAccount(home!.deps.store), run.run_uid)).toEqual({
      kind: 'done',
    });
    expect((await recordersOf(hosted!, run)).recorders).toBeNull();
    expect(
      await fetchRun(old(home!), ofOwnAccount(third!.deps.store), run.run_uid, run.content_hash),
    ).toEqual({ kind: 'done' });
    expect((await recordersOf(third!, run)).recorders).toBeNull();
  });
});
