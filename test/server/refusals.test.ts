import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const CASE = '/api/v1/cases/refusals';
const profile_uid = 'trio_rare_disease';
beforeAll(async () => {
  server = await bootServer();
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'Refusals' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: 'refusals', profile_uid },
  });
  await server.call('POST', `${CASE}/evidence`, {
    body: { profile_uid, items: [{ item_uid: 'a' }] },
  });
});
afterAll(() => server.close());

describe('a refusal says what to do instead', () => {
  it.each([
    ['evidence', 'outcomes'],
    ['suggestions', 'suggestions'],
  ])('%s: the rule of the profile that a misspelt one may mean', async (operation, list) => {
    const said = async (rule_uid: string): Promise<string> => {
      const { status, body } = await server.call('POST', `${CASE}/${operation}`, {
        body: { profile_uid, [list]: [{ item_uid: 'a', rule_uid, raw_outcome: 'TRUE' }] },
      });
      expect([status, body.details[0].code]).toEqual([422, 'unknown_rule']);
      return body.details[0].message;
    };
    expect(await said('parents_genotypes_missing')).toBe(
      'The profile has no such rule. Did you mean "parents_genotype_missing"?',
    );
    expect(await said('zzz')).toBe('The profile has no such rule.');
  });

  it('many misspelt rules cost no more than a list is worth', async () => {
    const { body } = await server.call('POST', `${CASE}/evidence`, {
      body: {
        profile_uid,
        outcomes: Array.from({ length: 5_000 }, (_, at) => ({
          item_uid: 'a',
          rule_uid: `parents_genotype_missing_${at}`,
          raw_outcome: 'TRUE',
        })),
      },
    });
    const hinted = body.details.filter(({ message }: { message: string }) =>
      message.includes('Did you mean'),
    );
    expect(hinted).toHaveLength(20);
  });

  it('the scope that a key lacks, or that only a person may', async () => {
    const message = async (method: string, path: string, key: string): Promise<string> =>
      (await server.call(method, path, { key, body: {} })).body.message;
    expect(await message('POST', '/api/v1/projects', server.readKey)).toBe(
      'This needs a key with the scope "write".',
    );
    expect(await message('POST', `${CASE}/suggestions/decisions`, server.key)).toBe(
      'Only a person who is signed in may do this; no key may.',
    );
  });
});

describe('a refusal says where', () => {
  it.each([
    ['{"profile_uid":"a",\n "items": [1,]}', 'stops being JSON at line 2, column 14'],
    ['{"profile_uid": "a"', 'ends before it is whole at line 1, column 20'],
    ["{'a':1}", 'stops being JSON at line 1, column 2'],
    ['{"a":01}', 'stops being JSON at line 1, column 6'],
    [`{"a":"${'x'.repeat(2_000_000)}\t"}`, 'stops being JSON at line 1, column 2000007'],
  ])('a body is no JSON: %#', async (raw, where) => {
    const { status, body } = await server.call('POST', `${CASE}/evidence`, { raw });
    expect([status, body.error, body.message]).toEqual([400, 'invalid_json', `The body ${where}.`]);
  });

  it.each([
    ['evidence', { case_uid: 'none', profile_uid, items: [] }, '/case_uid'],
    ['evidence', { case_uid: 'refusals', profile_uid: 'none_such', items: [] }, '/profile_uid'],
    ['runs', { case_uid: 'none', profile_uid }, '/case_uid'],
    ['runs', { case_uid: 'refusals', profile_uid: 'none_such' }, '/profile_uid'],
    ['cases', { case_uid: 'c', project_id: `prj_${'0'.repeat(26)}` }, '/project_id'],
    ['cases/refusals/suggestions', { profile_uid: 'none_such' }, '/profile_uid'],
  ])('nothing has the name that a body gives: %s %j', async (operation, body, path) => {
    const suggestions = [
      { item_uid: 'a', rule_uid: 'parents_genotype_missing', raw_outcome: 'NA' },
    ];
    const answer = await server.call('POST', `/api/v1/${operation}`, {
      body: operation.endsWith('suggestions') ? { ...body, suggestions } : body,
    });
    expect([answer.status, answer.body.details]).toEqual([
      404,
      [{ path, code: 'unknown', message: answer.body.message }],
    ]);
  });

  it('how many places more are wrong, of nested lists as of flat ones', async () => {
    const bad = { rule_uid: 'parents_genotype_missing', raw_outcome: 'maybe' };
    const items = (count: number, each: number) =>
      Array.from({ length: count }, (_, at) => ({
        item_uid: `i${at}`,
        evidence: Array.from({ length: each }, () => bad),
      }));
    const told = async (path: string, body: unknown) => {
      const answer = await server.call('POST', path, { body });
      return [answer.status, answer.body.details.length, answer.body.more];
    };
    const batch = { case_uid: 'refusals', profile_uid };
    const evidence = '/api/v1/evidence';
    expect(await told(evidence, { ...batch, items: items(60, 1) })).toEqual([422, 50, 10]);
    expect(await told(evidence, { ...batch, items: items(6, 20) })).toEqual([422, 50, 70]);
    const outcomes = Array.from({ length: 60 }, (_, at) => ({ ...bad, item_uid: `i${at}` }));
    expect(await told(`${CASE}/evidence`, { profile_uid, outcomes })).toEqual([422, 50, 10]);
    const unknown = outcomes.map((one) => ({ ...one, raw_outcome: 'NA' }));
    expect(await told(`${CASE}/evidence`, { profile_uid, outcomes: unknown })).toEqual([
      422, 50, 10,
    ]);
    expect(await told(`${CASE}/evidence`, { profile_uid, outcomes: [bad] })).toEqual([
      422,
      2,
      undefined,
    ]);
  });

  it('that an entry without a rule states nothing', async () => {
    const { body } = await server.call('POST', `${CASE}/evidence`, {
      body: { profile_uid, outcomes: [{ item_uid: 'a', raw_outcome: 'TRUE' }] },
    });
    expect(body.details).toEqual([
      {
        path: '/outcomes/0/rule_uid',
        code: 'required',
        message: 'An entry without a rule states nothing: name the rule that it is about.',
      },
    ]);
  });

  it('what stands in the cell that a late writer did not expect', async () => {
    const rule_uid = 'parents_genotype_missing';
    const outcome = { item_uid: 'a', rule_uid, raw_outcome: 'FALSE', if_revision: 0 };
    const record = () =>
      server.call('POST', `${CASE}/evidence`, { body: { profile_uid, outcomes: [outcome] } });
    expect((await record()).status).toBe(200);
    const words = 'The cell is at revision 1: FALSE, evidence present.';
    const late = { ...outcome, raw_outcome: 'NA' };
    for (const [operation, list] of [
      ['evidence', 'outcomes'],
      ['suggestions', 'suggestions'],
    ] as const) {
      const { status, body } = await server.call('POST', `${CASE}/${operation}`, {
        body: { profile_uid, [list]: [late] },
      });
      expect([status, body.details[0].message], operation).toEqual([412, words]);
    }
  });
});

describe('an item without a name', () => {
  it('is named by the server, once for each Idempotency-Key, and in the receipt', async () => {
    const rule_uid = 'parents_genotype_missing';
    const send = () =>
      server.call('POST', '/api/v1/evidence', {
        headers: { 'idempotency-key': 'nameless' },
        body: {
          case_uid: 'refusals',
          profile_uid,
          items: [
            { item_uid: 'named' },
            { label: 'Nameless', evidence: [{ rule_uid, raw_outcome: 'TRUE' }] },
          ],
        },
      });
    const { status, body } = await send();
    expect([status, body.items_created, body.outcomes_written]).toEqual([200, 2, 1]);
    expect(body.named_items).toEqual([
      { path: '/items/1', item_uid: expect.stringMatching(/^itm_[0-9a-z]{26}$/) },
    ]);
    expect((await send()).body).toEqual(body);
    const [{ item_uid }] = body.named_items;
    const read = `${CASE}/items/${item_uid}?profile_uid=${profile_uid}`;
    expect((await server.call('GET', read)).body).toMatchObject({
      item: { label: 'Nameless' },
      evidence: [{ rule_uid, raw_outcome: 'TRUE' }],
    });
    const { body: other } = await server.call('POST', `${CASE}/evidence`, {
      body: { profile_uid, items: [{ label: 'Another' }] },
    });
    expect(other.named_items).toHaveLength(1);
  });
});
