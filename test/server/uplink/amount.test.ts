import { expect, test } from 'vitest';
import { startProxy } from '../../support/fault-proxy.ts';
import { lengthOf } from '../../support/length.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { converge, eventually, RULE, Studio, TRIO } from './world.ts';

const BLOCKS = lengthOf(4, 10);
const CASES = 60;

test(`${BLOCKS},000 changes of a time offline are drained in few requests (I18)`, async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using proxy = await startProxy(hosted.server.url);
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.connect(proxy.url, (await hosted.makeKey('Ada')).key);
  await one.share(project);
  await converge(['case-1'], hosted, one);

  proxy.down = true;
  const { user_id } = one.composed.store.local;
  for (let block = 0; block < BLOCKS; block += 1) {
    const changes = Array.from({ length: 1_000 }, (_, at) =>
      wireChange('case-1', user_id, [
        unseenOutcome(
          { profile: TRIO, version: '1.1', rule: RULE, item: `i${block}-${at}` },
          'TRUE',
        ),
      ]),
    );
    await one.ok('POST', '/api/v1/sync/cases/case-1/push', { protocol: 1, changes });
  }
  await eventually(async () => expect((await one.status()).totals.waiting).toBe(BLOCKS * 1_000));
  expect((await one.status()).totals.oldest).not.toBeNull();
  proxy.down = false;
  const before = proxy.seen.length;
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await converge(['case-1'], hosted, one);
  const sent = proxy.seen
    .slice(before)
    .map(({ path, method }) => `${method} ${path.split('?')[0]}`);
  // About 450 bytes a change: a mebibyte holds some 1,600 of them.
  expect(sent.filter((request) => request.endsWith('/push')).length).toBeLessThanOrEqual(BLOCKS);
  expect(sent.filter((request) => request.endsWith('/changes')).length).toBeLessThanOrEqual(2);
  await eventually(async () =>
    expect((await one.status()).links.find(({ stream }) => stream === 'case-1')).toMatchObject({
      state: 'equal',
      waiting: 0,
    }),
  );
});

test(`${CASES} cases are shared at a pace that a hosted server’s limits allow, and the status stays small`, async () => {
  await using hosted = await Studio.hosted();
  hosted.rateLimit = { perSecond: 60, writesPerSecond: 20 };
  await hosted.restart();
  await using one = await Studio.open('one');
  const project = await one.makeProject('Trios');
  const cases = Array.from({ length: CASES }, (_, at) => `case-${at}`);
  for (const uid of cases) await one.makeCase(project, uid);
  await one.connect(hosted.server.url, (await hosted.makeKey('Ada')).key);
  await one.share(project);
  await converge(cases, hosted, one);
  expect((await one.ok('GET', '/api/v1/uplink/diagnostics')).failures).toEqual([]);

  await hosted.stop();
  await one.record('case-59', 'i1', 'NA');
  const status = await one.status();
  expect(status.links).toHaveLength(50);
  expect(status.links[0]).toMatchObject({ stream: 'case-59', state: 'waiting', waiting: 1 });
  // The project has a link of its own.
  expect(status.totals).toMatchObject({ links: CASES + 1, waiting: 1 });
  const streams: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: { stream: string }[]; next_cursor: string | null } = await one.ok(
      'GET',
      `/api/v1/uplink/links?limit=25${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    streams.push(...page.data.map(({ stream }) => stream));
    cursor = page.next_cursor;
  }
  expect(streams.filter((stream) => stream.startsWith('case-'))).toEqual(cases);
  expect(streams).toHaveLength(CASES + 1);
  const { data } = await one.ok('GET', '/api/v1/uplink/links?stream=case-7');
  expect(data).toMatchObject([{ stream: 'case-7', state: 'equal' }]);
});
