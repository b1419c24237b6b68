import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { asKey } from '../support/ids.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';

let server: TestServer;
let reader: string;
let person: Record<string, string>;
const [rule = '', other = ''] = readRawMatrix('m12x5').rules;
beforeAll(async () => {
  server = await bootServer();
  reader = await server.makeKey({ name: 'Reader', scopes: ['suggest'] });
  const link = await createSignInLink(server.deps, server.url);
  const answer = await server.call('GET', link.slice(server.url.length), { key: null });
  person = {
    cookie: answer.headers.get('set-cookie')!.split(';')[0]!,
    origin: server.url,
  };
});
afterAll(() => server.close());

type Said = Record<string, unknown>;
const inCase = (uid: string) => {
  const path = `/api/v1/cases/${uid}`;
  const asPerson = (method: string, rest: string, body?: unknown): Promise<TestAnswer> =>
    server.call(method, path + rest, { key: null, headers: person, body });
  return {
    asPerson,
    suggest: (suggestions: Said[], key = reader, more: Said = {}) =>
      server.call('POST', `${path}/suggestions`, {
        key,
        body: {
          profile_uid: TRIO,
          suggestions: suggestions.map((one) => ({ rule_uid: rule, raw_outcome: 'TRUE', ...one })),
          ...more,
        },
      }),
    decide: (body: Said) =>
      asPerson('POST', '/suggestions/decisions', { profile_uid: TRIO, ...body }),
    list: async (query = '', key = reader) =>
      (await server.call('GET', `${path}/suggestions?profile_uid=${TRIO}${query}`, { key })).body
        .data,
    evidence: () => server.call('GET', `${path}/evidence?profile_uid=${TRIO}`),
    record: (cells: Said[], key = server.key) =>
      server.call('POST', `${path}/evidence`, {
        key,
        body: {
          profile_uid: TRIO,
          items: [...new Set(cells.map((cell) => cell['item_uid']))].map((item_uid) => ({
            item_uid,
          })),
          outcomes: cells.map((cell) => ({ rule_uid: rule, ...cell })),
        },
      }),
  };
};

const opened = async (uid: string, items: readonly string[] = ['a', 'b', 'c']) => {
  await makeCase(server, uid);
  const one = inCase(uid);
  await one.record(items.map((item_uid) => ({ item_uid })));
  return one;
};
const cellsOf = ({ body }: TestAnswer): Said[] =>
  body.items.flatMap((item: { evidence: Said[] }) => item.evidence);

describe('an agent that suggests', () => {
  it('YS3 YS4 is answered cell by cell, replaces and withdraws, and changes no byte of the evidence', async () => {
    const { suggest, list, evidence, record } = await opened('said');
    await record([{ item_uid: 'a', raw_outcome: 'FALSE', source_value: '0/1' }]);
    const before = await evidence();
    const { status, body } = await suggest([
      { item_uid: 'a', confidence: 0.4, if_revision: 1 },
      { item_uid: 'b', quote: 'read it', model: { name: 'm', version: '1' } },
      { item_uid: 'b', rule_uid: other, basis: null },
    ]);
    expect([status, body.written, body.suggestions.map((one: Said) => one['state'])]).toEqual([
      200,
      3,
      ['open', 'open', 'open'],
    ]);
    const again = await suggest([{ item_uid: 'a', confidence: 0.4 }]);
    expect(again.body).toMatchObject({ unchanged: 1, changes: [] });
    await record([{ item_uid: 'a', raw_outcome: 'TRUE' }]);
    expect((await suggest([{ item_uid: 'a', if_revision: 1 }])).body).toMatchObject({
      error: 'precondition_failed',
      details: [{ path: '/suggestions/0/if_revision', code: 'other_revision' }],
    });
    expect(
      (await suggest([{ item_uid: 'a', if_revision: 1 }], reader, { on_conflict: 'skip' })).body
        .suggestions,
    ).toMatchObject([{ status: 'skipped', state: 'stale', revision: 2 }]);
    expect((await suggest([{ item_uid: 'b', raw_outcome: null }])).body.suggestions).toMatchObject([
      { status: 'written', state: 'withdrawn' },
    ]);
    expect(await list('&state=open')).toMatchObject([{ item_uid: 'b', rule_uid: other }]);
    expect(await list(`&state=stale&item_uid=a&rule_uid=${rule}&raw_outcome=TRUE`)).toHaveLength(1);
    expect(await list('&source=k123456789')).toEqual([]);
    await record([{ item_uid: 'a', raw_outcome: 'FALSE', source_value: '0/1' }]);
    const after = await evidence();
    expect(cellsOf(after)[0]).toMatchObject({
      ...cellsOf(before)[0],
      revision: 3,
      updated_at: expect.anything(),
    });
  });

  it('takes back what it said, and nobody does so for it', async () => {
    const { suggest, list, asPerson } = await opened('unsaid');
    const { changes } = (await suggest([{ item_uid: 'a' }], server.key)).body;
    const byPerson = await asPerson('POST', '/reverts', { changes, reason: 'not mine' });
    expect(byPerson.body).toMatchObject({
      reverted: 0,
      entries: [{ field: 'suggestion', item_uid: 'a', status: 'kept' }],
    });
    const own = await server.call('POST', '/api/v1/cases/unsaid/reverts', {
      body: { changes, reason: 'wrong sheet' },
    });
    expect(own.body.reverted).toBe(1);
    expect(await list()).toMatchObject([{ state: 'withdrawn', raw_outcome: null }]);
  });

  it('YS7 stores nothing where anything is wrong, and nothing else by that key', async () => {
    const { suggest, list, record, asPerson } = await opened('wrong');
    const refused = await suggest([
      { item_uid: 'a' },
      { item_uid: 'nobody' },
      { item_uid: 'b', rule_uid: 'no_rule' },
      { item_uid: 'a' },
    ]);
    expect([refused.status, refused.body.details.map((one: Said) => one['code'])]).toEqual([
      422,
      ['unknown_item', 'unknown_rule', 'duplicate_suggestion'],
    ]);
    expect(await list()).toEqual([]);
    for (const answer of [
      await record([{ item_uid: 'a', raw_outcome: 'TRUE' }], reader),
      await server.call('POST', '/api/v1/cases/wrong/suggestions/decisions', {
        body: { profile_uid: TRIO, rule: { verdict: 'accept', filter: {} }, preview: true },
      }),
      await server.call('POST', '/api/v1/cases/wrong/policy', { body: { requires_source: true } }),
    ])
      expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_scope']);
    expect((await asPerson('POST', '/policy', { requires_source: true })).status).toBe(200);
    for (const answer of [
      await suggest([{ item_uid: 'a' }]),
      await record([{ item_uid: 'a', raw_outcome: 'TRUE' }]),
    ])
      expect([answer.status, answer.body.error]).toEqual([422, 'citation_required']);
    expect((await suggest([{ item_uid: 'a', quote: 'p. 3' }])).status).toBe(200);
    expect(
      (await record([{ item_uid: 'a', raw_outcome: 'TRUE', provenance: 'p. 3' }])).status,
    ).toBe(200);
    expect(
      (
        await asPerson('POST', '/evidence', {
          profile_uid: TRIO,
          outcomes: [{ item_uid: 'b', rule_uid: rule, raw_outcome: 'TRUE' }],
        })
      ).status,
    ).toBe(200);
  });
});

describe('a case that requires sources', () => {
  it('YS7 takes no uncited push of a key’s own, and whatever a studio relays', async () => {
    const { asPerson } = await opened('pushed');
    await asPerson('POST', '/policy', { requires_source: true });
    const { version } = (await server.call('GET', `/api/v1/profiles/${TRIO}`)).body;
    const push = async (key: string, value: Said) => {
      const by = {
        user: server.deps.store.local.user_id,
        kind: 'agent',
        agent: 'test',
        key: asKey(server.key.slice(4, 14)),
      } as const;
      const reg = `a/${TRIO}@${version}/${rule}/a`;
      const changes = [wireChange('pushed', by, [{ op: 'set', parents: [], reg, value }])];
      const answer = await server.call('POST', '/api/v1/sync/cases/pushed/push', {
        key,
        body: { protocol: 1, changes },
      });
      return [answer.status, answer.body.error];
    };
    const bare = { raw_outcome: 'TRUE' };
    expect(await push(server.key, bare)).toEqual([422, 'citation_required']);
    expect(await push(server.key, { ...bare, source_value: 'p. 1' })).toEqual([200, undefined]);
    expect(await push(server.syncKey, bare)).toEqual([200, undefined]);
  });
});

describe('a person who decides', () => {
  it('YD3 accepts with or without another source, and refuses with a reason; the record names both', async () => {
    const { suggest, list, decide, evidence } = await opened('decided');
    const said = await suggest([
      { item_uid: 'a', source_value: 'p. 4', model: { name: 'm', version: '1' } },
      { item_uid: 'b', source_value: 'p. 5' },
      { item_uid: 'c' },
    ]);
    const ids = said.body.suggestions.map((one: Said) => one['suggestion_id']);
    expect(
      (await decide({ decisions: [{ suggestion_id: ids[2], verdict: 'refuse' }] })).status,
    ).toBe(422);
    const answer = await decide({
      decisions: [
        { suggestion_id: ids[0], verdict: 'accept' },
        { suggestion_id: ids[1], verdict: 'accept', source_value: 'p. 6' },
        { suggestion_id: ids[2], verdict: 'refuse', reason: 'not read' },
      ],
    });
    expect(answer.body).toMatchObject({ decided: 3, left: 0, changes: [expect.any(String)] });
    expect((await list()).map((one: Said) => [one['state'], one['decision']])).toMatchObject([
      ['accepted', { verdict: 'accepted' }],
      ['accepted', {}],
      ['refused', { reason: 'not read' }],
    ]);
    expect(cellsOf(await evidence())).toMatchObject([
      {
        source_value: 'p. 4',
        recorded_by: { kind: 'agent', name: 'Reader', accepted_by: expect.any(String) },
      },
      { source_value: 'p. 6', recorded_by: { kind: 'agent', accepted_by: expect.any(String) } },
    ]);
    const of = async (kind: string) =>
      (
        await server.call(
          'GET',
          `/api/v1/cases/decided/evidence?profile_uid=${TRIO}&recorded_by_kind=${kind}`,
        )
      ).body.items.map((one: Said) => one['item_uid']);
    expect([await of('agent'), await of('human')]).toEqual([['a', 'b'], []]);
    // What is decided is not decided again; what the source says anew is open.
    expect(
      (await decide({ decisions: [{ suggestion_id: ids[2], verdict: 'accept' }] })).body,
    ).toMatchObject({ decided: 0, decisions: [{ status: 'left', state: 'refused' }] });
    await suggest([{ item_uid: 'c', raw_outcome: 'NA' }]);
    expect(await list('&state=open')).toMatchObject([
      { item_uid: 'c', decision: { suggestion_id: ids[2] } },
    ]);
  });

  it('YD3 decides only while the cell has the revision that was shown beside the suggestion', async () => {
    const { suggest, decide, record, evidence } = await opened('shown');
    const { suggestions } = (await suggest([{ item_uid: 'a' }, { item_uid: 'b' }])).body;
    const decisions = suggestions.map(({ suggestion_id }: Said) => ({
      suggestion_id,
      verdict: 'accept',
      if_revision: 0,
    }));
    await record([{ item_uid: 'a', raw_outcome: 'FALSE' }]);
    for (const verdict of [{}, { verdict: 'refuse', reason: 'no' }])
      expect((await decide({ decisions: [{ ...decisions[0], ...verdict }] })).body).toMatchObject({
        decided: 0,
        decisions: [{ status: 'left', state: 'stale' }],
        changes: [],
      });
    expect((await decide({ decisions })).body.decisions).toMatchObject([
      { status: 'left', state: 'stale' },
      { status: 'decided', state: 'accepted' },
    ]);
    expect(cellsOf(await evidence())).toMatchObject([
      { item_uid: 'a', raw_outcome: 'FALSE' },
      { item_uid: 'b', raw_outcome: 'TRUE' },
    ]);
    // A text that is written to the cell is of its next revision, too.
    await record([{ item_uid: 'a', raw_outcome: 'FALSE', notes: 'looked at' }]);
    expect((await decide({ decisions: [{ ...decisions[0], if_revision: 1 }] })).body.left).toBe(1);
    expect((await decide({ decisions: [{ ...decisions[0], if_revision: 2 }] })).body.decided).toBe(
      1,
    );
  });

  it('YD2 tells a source what was decided about, whatever it says by now', async () => {
    const { suggest, decide } = await opened('told');
    const said = await suggest([{ item_uid: 'a', raw_outcome: 'FALSE' }, { item_uid: 'b' }]);
    const toJudge = (after = 0) =>
      server.call('GET', `/api/v1/cases/told/to-judge?profile_uid=${TRIO}&after=${after}`, {
        key: reader,
      });
    const { after } = (await toJudge()).body;
    await decide({
      decisions: said.body.suggestions.map(({ suggestion_id }: Said) => ({
        suggestion_id,
        verdict: 'refuse',
        reason: 'no',
      })),
    });
    await suggest([
      { item_uid: 'a', raw_outcome: 'NA' },
      { item_uid: 'b', raw_outcome: null },
    ]);
    expect((await toJudge(after)).body.decided).toMatchObject([
      { item_uid: 'a', raw_outcome: 'FALSE', verdict: 'refused' },
      { item_uid: 'b', raw_outcome: 'TRUE', verdict: 'refused' },
    ]);
  });

  it('accepts one of two for a cell and refuses the other, in whatever order', async () => {
    const { suggest, decide, list } = await opened('both');
    const cells = [{ item_uid: 'a' }, { item_uid: 'b' }];
    const [first, second] = await Promise.all(
      [reader, server.key].map(async (key) => (await suggest(cells, key)).body.suggestions),
    );
    const accept = ({ suggestion_id }: Said) => ({ suggestion_id, verdict: 'accept' });
    const refuse = ({ suggestion_id }: Said) => ({ suggestion_id, verdict: 'refuse', reason: 'r' });
    const { body } = await decide({
      decisions: [accept(first[0]), refuse(second[0]), refuse(first[1]), accept(second[1])],
    });
    expect(body).toMatchObject({ decided: 4, left: 0, changes: [expect.any(String)] });
    expect(await list('&state=accepted')).toHaveLength(2);
    expect(await list('&state=refused')).toHaveLength(2);
    // Into one cell only one is accepted.
    const [third, fourth] = await Promise.all(
      [reader, server.key].map(
        async (key) => (await suggest([{ item_uid: 'c' }], key)).body.suggestions[0],
      ),
    );
    expect((await decide({ decisions: [accept(third), accept(fourth)] })).body).toMatchObject({
      decided: 1,
      decisions: [{ status: 'decided' }, { status: 'left', state: 'stale' }],
    });
  });

  it('YD5 carries out a rule as far as it was previewed and is open still', async () => {
    const { suggest, decide, record } = await opened('by-rule');
    await suggest([
      { item_uid: 'a', confidence: 0.9 },
      { item_uid: 'b', confidence: 0.95 },
      { item_uid: 'c', confidence: 0.2 },
    ]);
    const rule_ = { verdict: 'accept', filter: { raw_outcome: 'TRUE', min_confidence: 0.9 } };
    const seen = await decide({ rule: rule_, preview: true });
    const names = seen.body.decisions.map((one: Said) => one['suggestion_id']);
    expect([names.length, seen.body.changes]).toEqual([2, []]);
    await record([{ item_uid: 'b', raw_outcome: 'NA' }]);
    expect((await decide({ rule: { ...rule_, suggestion_ids: names } })).body).toMatchObject({
      decided: 1,
      left: 1,
      decisions: [
        { item_uid: 'a', status: 'decided', state: 'accepted' },
        { item_uid: 'b', status: 'left', state: 'stale' },
      ],
    });
    // By name a stale one can be accepted.
    expect(
      (await decide({ decisions: [{ suggestion_id: names[1], verdict: 'accept' }] })).body,
    ).toMatchObject({ decided: 1 });
  });

  it('YD6 takes decisions back in one step, and again brings them back', async () => {
    const { suggest, list, decide, evidence, asPerson, record } = await opened('undone');
    await record([{ item_uid: 'b', raw_outcome: 'NA', source_value: 'own' }]);
    const before = cellsOf(await evidence());
    const said = await suggest([{ item_uid: 'a' }, { item_uid: 'b' }, { item_uid: 'c' }]);
    const ids = said.body.suggestions.map((one: Said) => one['suggestion_id']);
    const { body } = await decide({
      decisions: [
        { suggestion_id: ids[0], verdict: 'accept' },
        { suggestion_id: ids[1], verdict: 'accept' },
        { suggestion_id: ids[2], verdict: 'refuse', reason: 'no' },
      ],
    });
    const undo = await asPerson('POST', '/reverts', {
      changes: body.changes,
      reason: 'by mistake',
    });
    expect(undo.body).toMatchObject({ reverted: 5, changes: [expect.any(String)] });
    expect((await list()).map((one: Said) => one['state'])).toEqual(['open', 'open', 'open']);
    expect(cellsOf(await evidence())).toMatchObject(
      before.map(({ raw_outcome, source_value, recorded_by }) => ({
        raw_outcome,
        source_value,
        recorded_by,
      })),
    );
    const redo = await asPerson('POST', '/reverts', { changes: undo.body.changes, reason: 'yet' });
    expect(redo.body.reverted).toBe(5);
    expect((await list()).map((one: Said) => one['state'])).toEqual([
      'accepted',
      'accepted',
      'refused',
    ]);
    expect(cellsOf(await evidence())[0]).toMatchObject({
      raw_outcome: 'TRUE',
      recorded_by: { name: 'Reader', accepted_by: expect.any(String) },
    });
  });
});
