import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { layerStream } from '../../../src/sync/register.ts';
import { asCase } from '../../support/ids.ts';
import { converge, eventually, RULE, Studio, TRIO } from './world.ts';

const CASE = 'case-1';
const rounds = `/api/v1/cases/${CASE}/rounds`;
const SECRETS = { ada: 'SEALED-ada-51', ben: 'SEALED-ben-52', agent: 'SEALED-agent-53' };

/** All bytes that a studio keeps. */
const bytesOf = ({ folder }: Studio): string =>
  readdirSync(folder)
    .filter((name) => name.startsWith('evidence.sqlite'))
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('');

test('Y7 Y8 YR8 what people and a studio’s agent record in a round goes to the server alone, and to all once it is released', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using two = await Studio.open('two');
  const ada = await hosted.makeKey('Ada', 'member');
  const ben = await hosted.makeKey('Ben', 'member');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, CASE);
  for (const item of ['i1', 'i2']) await one.record(CASE, item, 'NA');
  await one.connect(hosted.server.url, ada.key);
  await one.share(project);
  await two.connect(hosted.server.url, ben.key);
  await converge([CASE], hosted, one);
  await eventually(() => two.share(project));
  await converge([CASE], hosted, one, two);

  const agent = await one.ok('POST', '/api/v1/keys', { name: 'Robot', scopes: ['read', 'write'] });
  const recorders = [ada.user_id, ben.user_id, agent.key_id as string];
  const { round_id } = await one.ok('POST', rounds, {
    title: 'Three readings',
    recorders,
    profile_uid: TRIO,
  });
  const layers = recorders.map((recorder) =>
    layerStream({ case: asCase(CASE), round: round_id, recorder }),
  );
  const [ofAda = '', ofBen = '', ofAgent = ''] = layers as string[];
  const at = (action: string): string => `${rounds}/${round_id}${action}`;
  const said = (outcome: string, text: string) => ({
    outcomes: [
      { item_uid: 'i1', rule_uid: RULE, raw_outcome: outcome, source_value: text },
      { item_uid: 'i2', rule_uid: RULE, raw_outcome: 'TRUE', notes: text },
    ],
  });
  const byAgent = async (action: string, body: unknown): Promise<void> => {
    const { status } = await fetch(`${one.server.url}${at(action)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
  };
  // The layers are written before the case's log has gone, which they wait for.
  await one.ok('POST', at('/evidence'), said('TRUE', SECRETS.ada));
  await byAgent('/evidence', said('NA', SECRETS.agent));
  await converge([CASE], hosted, one, two);
  await two.ok('POST', at('/evidence'), said('FALSE', SECRETS.ben));
  await converge([ofAda, ofAgent], hosted, one);
  await converge([ofBen], hosted, two);
  for (const [studio, stream] of [
    [two, ofAda],
    [two, ofAgent],
    [one, ofBen],
  ] as const)
    expect(await studio.digest(stream)).toBe('none');

  // The first to be done opens nothing, on no side.
  await one.ok('POST', at('/done'), {});
  await byAgent('/done', {});
  await converge([CASE, ofAda, ofAgent], hosted, one);
  await converge([CASE], hosted, one, two);
  expect((await two.ok('GET', at(''))).state).toBe('open');
  const seen = [bytesOf(one), bytesOf(two)];
  expect([
    seen[0]!.includes(SECRETS.ada),
    seen[0]!.includes(SECRETS.ben),
    seen[1]!.includes(SECRETS.ben),
    seen[1]!.includes(SECRETS.ada),
    seen[1]!.includes(SECRETS.agent),
  ]).toEqual([true, false, true, false, false]);
  await eventually(async () =>
    expect((await one.status()).links.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      'case equal',
      'layer equal',
      'layer equal',
      'project equal',
    ]),
  );

  await two.ok('POST', at('/done'), {});
  await converge([CASE, ...layers], hosted, one, two);
  const agreement = await hosted.ok('GET', at('/agreement'));
  expect(
    agreement.recorders.map(({ fit, rated }: { fit: string; rated: number }) => [fit, rated]),
  ).toEqual([
    ['fits', 2],
    ['fits', 2],
    ['fits', 2],
  ]);
  for (const studio of [one, two]) {
    const own = await studio.ok('GET', at('/agreement'));
    expect([own.figures, own.differing]).toEqual([agreement.figures, agreement.differing]);
    const { data } = await studio.ok('GET', at('/evidence'));
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(data)).toContain(secret);
  }
}, 90_000);

test('Y7 a recorder who clears cells that hold nothing leaves nothing that waits', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  const ada = await hosted.makeKey('Ada', 'member');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, CASE);
  await one.record(CASE, 'i1', 'NA');
  await one.connect(hosted.server.url, ada.key);
  await one.share(project);
  await converge([CASE], hosted, one);
  const { round_id } = await one.ok('POST', rounds, {
    title: 'One reading',
    recorders: [ada.user_id],
    profile_uid: TRIO,
  });
  const nothing = { outcomes: [{ item_uid: 'i1', rule_uid: RULE, raw_outcome: null }] };
  await one.ok('POST', `${rounds}/${round_id}/evidence`, nothing);
  await converge([CASE], hosted, one);
  await eventually(async () => {
    const { links, totals } = await one.status();
    expect([totals.waiting, links.filter(({ state }) => state !== 'equal')]).toEqual([0, []]);
  });
}, 60_000);

test('YR12 Y7 what was recorded without a network is carried as a file, and is the same when the network is back', async () => {
  await using hosted = await Studio.hosted();
  await using laptop = await Studio.open('laptop');
  await using desk = await Studio.open('desk');
  await using other = await Studio.open('other');
  const ada = await hosted.makeKey('Ada', 'member');
  const ben = await hosted.makeKey('Ben', 'member');
  const project = await laptop.makeProject('Trios');
  await laptop.makeCase(project, CASE);
  for (const item of ['i1', 'i2']) await laptop.record(CASE, item, 'NA');
  await laptop.connect(hosted.server.url, ada.key);
  await laptop.share(project);
  await converge([CASE], hosted, laptop);
  for (const [studio, { key }] of [
    [desk, await hosted.makeKey('Ada', 'member')],
    [other, ben],
  ] as const) {
    await studio.connect(hosted.server.url, key);
    await eventually(() => studio.share(project));
  }
  const { round_id } = await laptop.ok('POST', rounds, {
    title: 'On the ward',
    recorders: [ada.user_id, ben.user_id],
    profile_uid: TRIO,
  });
  await converge([CASE], hosted, laptop, desk, other);
  const at = (action: string): string => `${rounds}/${round_id}${action}`;
  const stream = layerStream({ case: asCase(CASE), round: round_id, recorder: ada.user_id });

  const { port } = hosted.server;
  await hosted.stop();
  const said = ['i1', 'i2'].map((item_uid) => ({
    ...{ item_uid, rule_uid: RULE, raw_outcome: 'TRUE', source_value: SECRETS.ada },
  }));
  await laptop.ok('POST', at('/evidence'), { outcomes: said });
  await laptop.ok('POST', at('/done'), {});
  const file = await laptop.ok('GET', at('/layer'));
  expect((await other.call('POST', at('/layer'), file)).body.error).toBe('author_not_allowed');
  expect((await desk.ok('POST', at('/layer'), file)).state).toBe('open');
  expect(await desk.digest(stream)).toBe(await laptop.digest(stream));
  expect(await desk.ok('GET', at('/layer'))).toEqual(file);
  expect(await other.digest(stream)).toBe('none');

  await hosted.start(port);
  await converge([CASE, stream], hosted, laptop, desk);
  await converge([CASE], hosted, other);
  expect(await other.digest(stream)).toBe('none');
  expect([desk, other].map((studio) => bytesOf(studio).includes(SECRETS.ada))).toEqual([
    true,
    false,
  ]);
  await other.ok('POST', at('/done'), {});
  await converge([CASE, stream], hosted, laptop, desk, other);
  const { recorders } = await other.ok('GET', at('/agreement'));
  expect(recorders.map(({ fit, rated }: { fit: string; rated: number }) => [fit, rated])).toEqual([
    ['fits', 2],
    ['fits', 0],
  ]);
}, 90_000);
