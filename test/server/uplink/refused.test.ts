import { expect, test } from 'vitest';
import { MAX_ITEMS } from '../../../src/shared/contract/v1/evidence.ts';
import { strictServer } from './strict-server.ts';
import { converge, eventually, RULE, Studio, TRIO } from './world.ts';

/** A studio with a project, filled and then shared with such a server. */
async function sharedWithStrict(fill: (one: Studio, project: string) => Promise<void>) {
  await using started = new AsyncDisposableStack();
  const hosted = started.use(await Studio.hosted());
  const one = started.use(await Studio.open('one'));
  const strict = started.adopt(await strictServer(hosted.server.url), async (server) =>
    server.close(),
  );
  const project = await one.makeProject('Trios');
  await fill(one, project);
  await one.connect(strict.url, (await hosted.makeKey('Ada')).key);
  await one.share(project);
  const all = started.move();
  return { hosted, one, strict, project, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** As if the case had so many rows of items, deleted ones among them. */
const pretend = (studio: Studio, rows: number): Promise<void> =>
  studio.sql(`UPDATE cases SET item_rows = ${rows} WHERE case_uid = 'case-1'`);

test('V8 items beyond what a case may hold stay where they were made and are reported; what is whole goes everywhere', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using two = await Studio.open('two');
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'a', 'TRUE');
  for (const [studio, user] of [
    [one, 'Ada'],
    [two, 'Ben'],
  ] as const) {
    await studio.connect(hosted.server.url, (await hosted.makeKey(user)).key);
    if (studio === two)
      await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
    await studio.share(project);
    await converge(['case-1'], hosted, studio);
  }
  await pretend(hosted, MAX_ITEMS - 1);
  await pretend(two, MAX_ITEMS);
  await one.record('case-1', 'b', 'NA');
  await converge(['case-1'], hosted, one, two);
  expect(await two.cells('case-1')).toEqual([`a/${RULE}=TRUE`, `b/${RULE}=NA`]);

  await one.record('case-1', 'c', 'NA');
  await one.record('case-1', 'a', 'FALSE');
  await eventually(async () =>
    expect(await two.cells('case-1')).toEqual([`a/${RULE}=FALSE`, `b/${RULE}=NA`]),
  );
  await eventually(async () =>
    expect((await one.status()).totals).toMatchObject({ waiting: 0, blocked: 1 }),
  );
  expect((await one.status()).links.find(({ stream }) => stream === 'case-1')?.state).not.toBe(
    'equal',
  );
  expect(await one.cells('case-1')).toEqual([`a/${RULE}=FALSE`, `b/${RULE}=NA`, `c/${RULE}=NA`]);
  await eventually(async () =>
    expect(await hosted.digest('case-1')).toBe(await two.digest('case-1')),
  );
});

test('R10 one change that the other side cannot read is found, kept and passed by: the others go on (I12, I15)', async () => {
  await using world = await sharedWithStrict(async (one, project) => {
    await one.makeCase(project, 'case-1');
    for (const item of ['a', 'b', 'poisoned', 'c', 'd']) await one.record('case-1', item, 'TRUE');
  });
  const { hosted, one, strict } = world;
  await eventually(async () =>
    expect((await hosted.cells('case-1')).map((cell) => cell.split('/')[0])).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]),
  );
  expect(strict.refused.at(-1)).toBe(1);
  await eventually(async () =>
    expect((await one.status()).totals).toMatchObject({ waiting: 0, blocked: 1 }),
  );
  expect((await one.status()).links.find(({ stream }) => stream === 'case-1')?.state).not.toBe(
    'equal',
  );

  const before = strict.refused.length;
  await one.record('case-1', 'e', 'NA');
  await eventually(async () => expect(await hosted.cells('case-1')).toContain(`e/${RULE}=NA`));
  expect(strict.refused).toHaveLength(before);
  expect(await one.cells('case-1')).toHaveLength(6);
});

test('R10 a profile that the other side cannot read is offered once and reported; the case is synced all the same', async () => {
  await using world = await sharedWithStrict(async (one, project) => {
    await one.ok('POST', '/api/v1/profiles', {
      name: 'Odd',
      profileUid: 'odd_profile',
      version: '1.0',
      visibility: 'private',
      domain: 'general',
      standard: 'SGA-QEM-1.0',
      standardVersion: '1.0',
      description: 'poisoned',
      scope: 's',
      maintainer: 'm',
      rules: [
        {
          ruleOrder: 1,
          ruleUid: 'rule_a',
          name: 'n',
          description: 'd',
          evidenceMeaning: 'e',
          problemMeaning: 'p',
          notAvailableMeaning: 'n',
        },
      ],
    });
    await one.ok('POST', '/api/v1/cases', {
      project_id: project,
      case_uid: 'case-1',
      profile_uid: 'odd_profile',
    });
  });
  const { one, strict } = world;
  const link = async (stream: string) =>
    (await one.status()).links.find((one) => one.stream === stream);
  await eventually(async () =>
    expect([(await link('case-1'))?.state, (await one.status()).totals.blocked]).toEqual([
      'equal',
      1,
    ]),
  );
  for (let cycle = 0; cycle < 3; cycle += 1) {
    const { last_ok } = await one.status();
    await one.ok('POST', '/api/v1/uplink/sync', {});
    await eventually(async () => {
      const status = await one.status();
      expect(status.state).toBe('idle');
      expect(status.last_ok).not.toBe(last_ok);
    });
  }
  expect(strict.refused).toEqual([1]);
  expect(await link('@profiles')).toMatchObject({ state: 'waiting', waiting: 0 });
});

test('a run that the other side refuses is pending and reported, and offered again while its project is shared', async () => {
  await using world = await sharedWithStrict(async (one, project) => {
    await one.makeCase(project, 'case-1');
    await one.record('case-1', 'a', 'TRUE');
  });
  const { hosted, one, strict, project } = world;
  await converge(['case-1'], hosted, one);
  strict.refusesRuns = true;
  const { run_uid } = (await one.ok('POST', '/api/v1/runs', {
    case_uid: 'case-1',
    profile_uid: TRIO,
  })) as { run_uid: string };
  // Its announcement goes all the same, and what comes after it.
  await one.record('case-1', 'b', 'NA');
  await converge(['case-1'], hosted, one);
  expect((await hosted.call('GET', `/api/v1/runs/${run_uid}`)).body.error).toBe('not_here_yet');
  expect(await one.status()).toMatchObject({
    totals: { waiting: 0, blocked: 1 },
    owed_runs: [
      {
        run_uid,
        case_uid: 'case-1',
        problem: expect.stringContaining('cannot read it'),
        since: expect.stringMatching(/Z$/),
      },
    ],
  });

  await one.share(project, false);
  strict.refusesRuns = false;
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await eventually(async () => expect((await one.status()).state).toBe('idle'));
  strict.asked.length = 0;
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await eventually(async () =>
    expect([(await one.status()).state, strict.asked.length > 0]).toEqual(['idle', true]),
  );
  expect(
    strict.asked.filter((request) => request.endsWith('runs') || request.endsWith('blobs')),
  ).toEqual([]);

  await one.share(project);
  // After a restart too, without anybody's wish.
  await one.restart();
  await eventually(async () =>
    expect((await hosted.call('GET', `/api/v1/runs/${run_uid}`)).status).toBe(200),
  );
  await eventually(async () => expect((await one.status()).totals.blocked).toBe(0));
});
