import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';
import type { WireChange } from '../../src/shared/contract/sync.ts';
import type { Entry } from '../../src/sync/change.ts';
import { wireChange } from '../support/sync-change.ts';

let server: TestServer;
let person: Record<string, string>;
const [rule = ''] = readRawMatrix('m12x5').rules;
beforeAll(async () => {
  server = await bootServer();
  const link = await createSignInLink(server.deps, server.url);
  const answer = await server.call('GET', link.slice(server.url.length), { key: null });
  person = { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
});
afterAll(() => server.close());

type Body = Record<string, unknown>;
const asPerson = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  server.call(method, path, { key: null, headers: person, body });
const move = (uid: string, stage: string, more: Body = {}) =>
  asPerson('POST', `/api/v1/cases/${uid}/stage`, { stage, reason: `to ${stage}`, ...more });
const stageOf = async (uid: string) =>
  (await server.call('GET', `/api/v1/cases/${uid}/sign-off`)).body;
const record = (uid: string, outcomes: Body[], items: Body[] = []) =>
  server.call('POST', `/api/v1/cases/${uid}/evidence`, {
    body: {
      profile_uid: TRIO,
      items,
      outcomes: outcomes.map((one) => ({ rule_uid: rule, ...one })),
    },
  });

const me = async (): Promise<string> =>
  (await server.call('GET', '/api/v1/session', { key: null, headers: person })).body.user.user_id;
const cell = (item: string): Entry => ({
  op: 'set',
  parents: [],
  reg: `a/${TRIO}@1.1/${rule}/${item}`,
  value: { raw_outcome: 'TRUE' },
});
const moving = (stage: string, more: Body = {}): Entry => ({
  op: 'announce',
  parents: [],
  reg: 'stage/case',
  value: { stage, after: null, ...more },
});
const push = (uid: string, changes: WireChange | WireChange[], by: Body = {}) =>
  server.call('POST', `/api/v1/sync/cases/${uid}/push`, {
    ...('key' in by ? by : { key: null, headers: person }),
    body: { protocol: 1, changes: [changes].flat() },
  });

/** A case with two rows, one of them recorded, and a run of it. */
async function filled(uid: string): Promise<Body> {
  await makeCase(server, uid);
  await record(
    uid,
    [{ item_uid: 'a', raw_outcome: 'FALSE' }],
    [{ item_uid: 'a' }, { item_uid: 'b' }],
  );
  return (await server.call('POST', '/api/v1/runs', { body: { case_uid: uid, profile_uid: TRIO } }))
    .body;
}

async function approved(uid: string): Promise<Body> {
  const run = await filled(uid);
  expect((await move(uid, 'in_review')).status).toBe(200);
  expect((await move(uid, 'approved', { run_uid: run['run_uid'] })).status).toBe(200);
  return run;
}

describe('the stage of a case', () => {
  it('Z1 Z3 goes from stage to stage, with who, when and why', async () => {
    const run = await filled('stages');
    expect(await stageOf('stages')).toMatchObject({ stage: 'in_progress', moves: [], later: [] });
    const early = await move('stages', 'approved', { run_uid: run['run_uid'] });
    expect([early.status, early.body.details[0].code]).toEqual([409, 'other_stage']);
    await move('stages', 'in_review');
    for (const [more, code] of [
      [{}, 'run_missing'],
      [{ run_uid: 'run_unknown' }, 'unknown_run'],
    ] as const)
      expect((await move('stages', 'approved', more)).body.details[0].code).toBe(code);
    expect((await move('stages', 'in_progress', { run_uid: 'x' })).body.details[0].code).toBe(
      'run_not_wanted',
    );
    const { body } = await move('stages', 'approved', { run_uid: run['run_uid'] });
    expect(body).toMatchObject({ stage: 'approved', next: ['amended'], unaware: 0 });
    expect(body.moves.map(({ stage, reason }: Body) => [stage, reason])).toEqual([
      ['approved', 'to approved'],
      ['in_review', 'to in_review'],
    ]);
    expect(body.moves[0].run).toEqual({
      run_uid: run['run_uid'],
      content_hash: run['content_hash'],
    });
    expect((await server.call('GET', '/api/v1/cases/stages')).body.stage).toBe('approved');
    const audit = await server.call('GET', '/api/v1/cases/stages/audit');
    expect(JSON.stringify(audit.body)).toContain('to approved');
  });

  it('Z3 is moved by people alone, by request and by push', async () => {
    await filled('people');
    const key = await server.makeKey({ scopes: ['read', 'write', 'delete'] });
    const asked = await server.call('POST', '/api/v1/cases/people/stage', {
      key,
      body: { stage: 'in_review', reason: 'r' },
    });
    expect([asked.status, asked.body.error]).toEqual([403, 'insufficient_scope']);
    const change = wireChange('people', await me(), [moving('in_review')], 'r');
    const pushed = await push('people', change, { key });
    expect(pushed.status).toBe(403);
    expect((await stageOf('people')).stage).toBe('in_progress');
  });
});

describe('an approved case', () => {
  it('Z4 keeps outcomes as suggestions, and refuses what none can say', async () => {
    await approved('locked');
    const before = await server.call('GET', `/api/v1/cases/locked/evidence?profile_uid=${TRIO}`);
    const said = await record('locked', [
      { item_uid: 'b', raw_outcome: 'TRUE', source_value: 's' },
    ]);
    expect([said.status, said.body.outcomes_written, said.body.outcomes_suggested]).toEqual([
      200, 0, 1,
    ]);
    const { data } = (
      await server.call('GET', `/api/v1/cases/locked/suggestions?profile_uid=${TRIO}`)
    ).body;
    expect(data).toMatchObject([{ item_uid: 'b', raw_outcome: 'TRUE', state: 'open' }]);
    for (const [outcomes, items] of [
      [[{ item_uid: 'b', raw_outcome: null }], []],
      [[{ item_uid: 'b', raw_outcome: 'TRUE', notes: 'n' }], []],
      [[], [{ item_uid: 'c', label: 'C' }]],
    ] as const) {
      const refused = await record('locked', [...outcomes], [...items]);
      expect([refused.status, refused.body.error]).toEqual([409, 'case_approved']);
    }
    const accepted = await asPerson('POST', '/api/v1/cases/locked/suggestions/decisions', {
      profile_uid: TRIO,
      decisions: [{ suggestion_id: data[0].suggestion_id, verdict: 'accept' }],
    });
    expect([accepted.status, accepted.body.error]).toEqual([409, 'case_approved']);
    const removed = await asPerson('POST', '/api/v1/cases/locked/items/state', {
      item_uids: ['a'],
      state: 'deleted',
      reason: 'r',
    });
    expect([removed.status, removed.body.error]).toEqual([409, 'case_approved']);
    const after = await server.call('GET', `/api/v1/cases/locked/evidence?profile_uid=${TRIO}`);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    await move('locked', 'amended');
    expect(
      (await record('locked', [{ item_uid: 'b', raw_outcome: 'TRUE' }])).body.outcomes_written,
    ).toBe(1);
  });

  it('Z4 says of each outcome what became of it, where that is asked for', async () => {
    await approved('each');
    const answers = async (on_conflict?: 'skip'): Promise<unknown> => {
      const { body } = await server.call('POST', '/api/v1/cases/each/evidence', {
        body: {
          profile_uid: TRIO,
          outcomes: [
            { item_uid: 'a', rule_uid: rule, raw_outcome: 'NA', if_revision: 9 },
            { item_uid: 'b', rule_uid: rule, raw_outcome: 'TRUE', if_revision: 0 },
          ],
          ...(on_conflict && { on_conflict }),
        },
      });
      return body.error ?? body.outcomes;
    };
    expect(await answers()).toBe('precondition_failed');
    expect(await answers('skip')).toMatchObject([
      { item_uid: 'a', rule_uid: rule, status: 'skipped' },
      { item_uid: 'b', rule_uid: rule, status: 'suggested' },
    ]);
    expect(await answers('skip')).toMatchObject([{ status: 'skipped' }, { status: 'unchanged' }]);
  });

  it('Z4 names what is wrong by its place in the request, and asks for what was reviewed', async () => {
    await approved('named');
    const [wrong, other] = [
      { rule_uid: 'no_rule', raw_outcome: 'TRUE' },
      { rule_uid: rule, raw_outcome: 'TRUE', if_revision: 7 },
    ];
    const path = '/api/v1/cases/named/evidence';
    for (const [one, code, place] of [
      [wrong, 'unknown_rule', '/rule_uid'],
      [other, 'other_revision', '/if_revision'],
    ] as const) {
      const outcomes = [{ item_uid: 'b', rule_uid: rule, raw_outcome: 'NA' }];
      const listed = await asPerson('POST', path, {
        profile_uid: TRIO,
        outcomes: [...outcomes, { item_uid: 'a', ...one }],
      });
      expect(listed.body.details).toMatchObject([{ path: `/outcomes/1${place}`, code }]);
      const nested = await asPerson('POST', '/api/v1/evidence', {
        case_uid: 'named',
        profile_uid: TRIO,
        items: [
          { item_uid: 'b', evidence: [{ rule_uid: rule, raw_outcome: 'NA' }] },
          { item_uid: 'a', evidence: [one] },
        ],
      });
      expect(nested.body.details).toMatchObject([{ path: `/items/1/evidence/0${place}`, code }]);
    }
    const { status, body } = await server.call('POST', path, {
      headers: { 'if-match': '"another"' },
      body: {
        profile_uid: TRIO,
        outcomes: [{ item_uid: 'b', rule_uid: rule, raw_outcome: 'TRUE' }],
      },
    });
    expect([status, body.error]).toEqual([412, 'precondition_failed']);
    const suggested = await server.call(
      'GET',
      `/api/v1/cases/named/suggestions?profile_uid=${TRIO}`,
    );
    expect(suggested.body.data).toEqual([]);
  });

  it('Z4 takes what people wrote without knowing of the approval, and lists it', async () => {
    await approved('late');
    const change = wireChange('late', await me(), [cell('b')]);
    const pushed = await push('late', change);
    expect(pushed.status).toBe(200);
    expect((await stageOf('late')).later.map((one: Body) => one['change'])).toEqual([change.id]);
    await move('late', 'amended');
    // It was under the approval all the same.
    expect((await stageOf('late')).later).toHaveLength(1);
  });

  it('Z4 lists what comes after the approval with an earlier clock', async () => {
    const early = wireChange('behind', await me(), [cell('b')], null, -60_000);
    await approved('behind');
    expect((await push('behind', early)).status).toBe(200);
    expect((await stageOf('behind')).later).toMatchObject([
      { change: early.id, after_by: 'receipt', sent_by: { key_id: null } },
    ]);
  });

  it('Z4 keeps the document that it names', async () => {
    await approved('document');
    const { body } = await asPerson('GET', `/api/v1/cases/document/document?profile_uid=${TRIO}`);
    const settled = await asPerson('POST', '/api/v1/cases/document/document', {
      profile_uid: TRIO,
      profile_version: body.profile_version,
      heads: body.heads.map(({ entry }: Body) => entry),
      digest: body.documents[0].digest,
      reason: 'r',
    });
    expect([settled.status, settled.body.error]).toEqual([409, 'case_approved']);
  });

  it('Z1 Z3 is left by an amendment alone, which owners bring themselves', async () => {
    await approved('kept');
    const [approval] = (await stageOf('kept')).moves;
    expect(approval).toMatchObject({ stage: 'approved', sent_by: null });
    for (const stage of ['in_progress', 'in_review', 'amended']) {
      const change = wireChange('kept', 'usr_member', [moving(stage)], 'r', 1_000);
      const answer = await push('kept', change, { key: server.syncKey });
      expect([answer.status, answer.body.error]).toEqual([403, 'author_not_allowed']);
    }
    // In one batch the case is not approved yet; the moves say the same whatever came first.
    const { run_uid, content_hash } = await filled('batch');
    const by = await me();
    const changes = [
      wireChange('batch', by, [moving('in_progress')], 'r', 30_000),
      wireChange('batch', by, [moving('approved', { run: { run_uid, content_hash } })], 'r', 9_000),
      wireChange('batch', by, [moving('in_review')], 'r', 20_000),
    ];
    expect((await push('batch', changes)).status).toBe(200);
    expect(await stageOf('batch')).toMatchObject({ stage: 'approved', unaware: 2 });
    expect((await server.call('GET', '/api/v1/cases/batch')).body.stage).toBe('approved');
    expect((await move('batch', 'amended')).body.stage).toBe('amended');
  });
});
