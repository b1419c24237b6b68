import { expect, test } from 'vitest';
import type { Json } from '../../support/json.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { RULE, Studio, TRIO } from './world.ts';

const CASE = 'case-1';
const PATH = `/api/v1/cases/${CASE}`;

/** What a store says of the suggestions of the case, and of whose its outcomes are. */
async function told(studio: Studio): Promise<unknown> {
  const { data } = await studio.ok('GET', `${PATH}/suggestions?profile_uid=${TRIO}`);
  const { items } = await studio.ok('GET', `${PATH}/evidence?profile_uid=${TRIO}`);
  return {
    suggestions: (data as Json[]).map(({ item_uid, suggestion_id, state, suggested_by }) => [
      item_uid,
      suggestion_id,
      state,
      suggested_by.name,
    ]),
    cells: (items as Json[]).flatMap(({ evidence }) =>
      (evidence as Json[]).map(({ item_uid, raw_outcome, recorded_by }) => [
        item_uid,
        raw_outcome,
        recorded_by.kind,
        recorded_by.accepted_by,
      ]),
    ),
  };
}

test('Y5 YD3 a hosted server, a studio and a restored backup agree on what was suggested and decided', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, CASE);
  for (const item of ['a', 'b', 'c', 'd']) await one.record(CASE, item, 'NA');
  const made = await one.ok('POST', '/api/v1/keys', { name: 'Reader', scopes: ['suggest'] });
  const suggest = async (items: readonly string[], raw_outcome: string | null): Promise<void> => {
    const answer = await fetch(`${one.server.url}${PATH}/suggestions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        profile_uid: TRIO,
        suggestions: items.map((item_uid) => ({ item_uid, rule_uid: RULE, raw_outcome })),
      }),
    });
    expect(answer.status).toBe(200);
  };
  const decide = async (studio: Studio, item: string, verdict: string): Promise<Json> => {
    const { data } = await studio.ok(
      'GET',
      `${PATH}/suggestions?profile_uid=${TRIO}&item_uid=${item}`,
    );
    return studio.ok('POST', `${PATH}/suggestions/decisions`, {
      profile_uid: TRIO,
      decisions: [{ suggestion_id: data[0].suggestion_id, verdict, reason: 'r' }],
    });
  };
  await suggest(['a', 'b', 'c', 'd'], 'TRUE');
  await using exchange = await Exchange.open(one, hosted, project);
  await exchange.pass(MINUTE);
  expect(await told(hosted)).toEqual(await told(one));
  await decide(hosted, 'a', 'accept');
  await decide(one, 'b', 'refuse');
  const { changes } = await decide(one, 'c', 'accept');
  await suggest(['d'], null);
  await one.ok('POST', `${PATH}/reverts`, { changes, reason: 'too early' });
  await exchange.pass(5 * MINUTE);
  const all = await told(one);
  expect(all).toMatchObject({
    suggestions: [
      ['a', expect.any(String), 'accepted', 'Reader'],
      ['b', expect.any(String), 'refused', 'Reader'],
      ['c', expect.any(String), 'open', 'Reader'],
      ['d', expect.any(String), 'withdrawn', 'Reader'],
    ],
    cells: [
      ['a', 'TRUE', 'agent', expect.any(String)],
      ['b', 'NA', 'human', undefined],
      ['c', 'NA', 'human', undefined],
      ['d', 'NA', 'human', undefined],
    ],
  });
  expect(await told(hosted)).toEqual(all);
  const backup = await hosted.backUp();
  await decide(hosted, 'c', 'refuse');
  await hosted.restore(backup);
  expect(await told(hosted)).toEqual(all);
});
