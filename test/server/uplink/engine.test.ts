import { expect, test } from 'vitest';
import { watchForSleep } from '../../../src/server/uplink/sleep.ts';
import { startProxy } from '../../support/fault-proxy.ts';
import { INSTANCES } from '../../support/server.ts';
import { Exchange, HOUR, MINUTE, mayPush } from './exchange.ts';
import { eventually, RULE, Studio } from './world.ts';

async function begin(hosted: Studio, one: Studio): Promise<Exchange> {
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  const exchange = await Exchange.open(one, hosted, project);
  await eventually(async () => expect(await exchange.verifiedAt('case-1')).toBeDefined());
  await exchange.pass(5 * MINUTE);
  exchange.asked.length = 0;
  return exchange;
}

test('T8 an idle hour is one question a minute, and each answer says that both sides are equal still', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  const verified = await exchange.verifiedAt('case-1');
  await exchange.pass(HOUR);
  expect(exchange.asked).toEqual(Array.from({ length: 60 }, () => 'sync/cases'));
  expect(exchange.streams).toHaveLength(1);
  const later = await exchange.verifiedAt('case-1');
  expect(Date.parse(later!)).toBeGreaterThan(Date.parse(verified!) + HOUR - 2 * MINUTE);
  expect(Date.parse(later!)).toBeGreaterThanOrEqual(exchange.now - MINUTE);

  // Where the other side says nothing, nothing is said of it.
  await hosted.stop();
  await exchange.pass(HOUR);
  expect(await exchange.verifiedAt('case-1')).toBe(later);
  expect((await exchange.status()).state).toBe('offline');
});

test('T8 after a change anywhere a studio is told of that one, however many cases it has', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using proxy = await startProxy(hosted.server.url);
  const project = await one.makeProject('Trios');
  const cases = Array.from({ length: 12 }, (_, at) => `case-${at}`);
  for (const uid of cases) await one.makeCase(project, uid);
  await using exchange = await Exchange.open(one, hosted, project, proxy.url);
  for (const uid of cases)
    await eventually(async () => expect(await exchange.verifiedAt(uid)).toBeDefined());
  await exchange.pass(5 * MINUTE);
  const begin = proxy.seen.length;
  await hosted.record('case-7', 'i1', 'NA');
  await exchange.pass(2 * MINUTE);
  expect(await one.cells('case-7')).toEqual([`i1/${RULE}=NA`]);
  const lists = proxy.seen.slice(begin).filter(({ path }) => /sync\/cases(\?|$)/.test(path));
  expect(lists.map(({ path, status }) => [path.includes('since='), status])).toContainEqual([
    true,
    200,
  ]);
  if (INSTANCES === 1) for (const { bytes } of lists) expect(bytes).toBeLessThan(1_200);
  // Once an hour all are told again.
  await exchange.pass(HOUR);
  const later = proxy.seen.slice(begin).filter(({ path }) => path.endsWith('/sync/cases'));
  expect(later.length).toBeLessThanOrEqual(2);
});

test('an edit goes at once; while somebody goes on writing, what they write goes together', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  const pushes = (): number => exchange.asked.filter(mayPush).length;
  await one.record('case-1', 'i2', 'NA');
  await exchange.pass(400);
  expect(pushes()).toBe(1);
  const SECONDS = 20;
  for (let half = 0; half < 2 * SECONDS; half += 1) {
    await one.record('case-1', 'i2', half % 2 === 0 ? 'TRUE' : 'FALSE');
    await exchange.pass(500);
  }
  expect(pushes()).toBeLessThanOrEqual(7 + SECONDS / 1.5);
  await exchange.pass(1_600);
  expect(await hosted.cells('case-1')).toContain(`i2/${RULE}=FALSE`);
  // A person who asks does not wait.
  await one.record('case-1', 'i2', 'NA');
  const before = pushes();
  exchange.engine.wake();
  await exchange.pass(0);
  expect(pushes()).toBe(before + 1);
});

/**
 * Whatever is asked with a push of the first 29 is answered once something else has been written here;
 * `meanwhile` comes before that, with the number of the push. Answers how many there were.
 */
function keepWriting(
  exchange: Exchange,
  { studio, meanwhile }: { studio: Studio; meanwhile(push: number): Promise<void> },
): () => number {
  let pushes = 0;
  exchange.instead = (path, url, init) => {
    if (!mayPush(path) || (pushes += 1) >= 30) return undefined;
    return (async () => {
      const answer = await fetch(url, init);
      await meanwhile(pushes);
      await studio.record('case-1', `mine ${pushes}`, 'TRUE');
      return answer;
    })();
  };
  return () => pushes;
}

test('R15 who keeps writing over a slow network reads what others write meanwhile', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  await hosted.record('case-1', 'theirs', 'NA');
  let readAt = 0;
  const pushes = keepWriting(exchange, {
    studio: one,
    async meanwhile(push) {
      const cells = await one.cells('case-1');
      if (readAt === 0 && cells.includes(`theirs/${RULE}=NA`)) readAt = push;
    },
  });
  await one.record('case-1', 'mine', 'TRUE');
  await exchange.pass(20_000);
  expect(readAt).toBe(2);
  // Meanwhile the pace of one who keeps writing holds.
  expect(pushes()).toBeLessThanOrEqual(7 + 20 / 1.5);
  exchange.instead = () => undefined;
  await exchange.pass(10_000);
  expect(await hosted.cells('case-1')).toEqual(await one.cells('case-1'));
  expect(exchange.engine.problem).toBeNull();
});

test('R15 who keeps writing over a slow network hears of another case meanwhile', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  const { project_id } = (await hosted.ok('GET', '/api/v1/cases/case-1')) as { project_id: string };
  const hint = (stream: string, seq: number): void =>
    exchange.streams.at(-1)!.say(`data: ${JSON.stringify({ case: stream, seq })}\n\n`);
  let heardAt = 0;
  // Each answer takes two seconds, in which others have written too.
  keepWriting(exchange, {
    studio: one,
    async meanwhile(push) {
      exchange.sleep(2_000);
      if (heardAt === 0 && (await one.call('GET', '/api/v1/cases/case-2')).status === 200)
        heardAt = push;
      hint('case-1', 1_000 + push);
      if (push === 5) await hosted.makeCase(project_id, 'case-2');
      if (push === 5) hint('case-2', 1);
    },
  });
  await one.record('case-1', 'mine', 'TRUE');
  await exchange.pass(60_000);
  expect(heardAt).toBeGreaterThan(5);
  expect(heardAt).toBeLessThanOrEqual(8);
});

test('a silent stream of hints is opened again after a minute; the poll has found meanwhile what it did not say', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  await hosted.record('case-1', 'i2', 'NA');
  await exchange.pass(MINUTE - 1_000, true);
  await exchange.pass(2_000, true);
  expect(await one.cells('case-1')).toEqual([`i1/${RULE}=TRUE`, `i2/${RULE}=NA`]);
  expect(exchange.streams.map(({ ended }) => ended)).toEqual([false]);
  // Not even a sign of life: the stream is dead.
  await exchange.pass(MINUTE + 2_000, false);
  expect(exchange.streams.map(({ ended }) => ended)).toEqual([true, false]);
  await hosted.record('case-1', 'i3', 'NA');
  exchange.streams.at(-1)!.say(`data: {"case":"case-1","seq":4}\n\n`);
  await eventually(async () => expect(await one.cells('case-1')).toHaveLength(3));
  // A day of hints that are nonsense does no harm.
  for (const text of [
    'data: {"case":',
    '\n\ndata: 7\n\n',
    'data: {"case":"elsewhere","seq":1}\n\n',
    `data: ${'x'.repeat(10_000)}\n\n`,
  ])
    exchange.streams.at(-1)!.say(text);
  await exchange.pass(2_000);
  expect((await exchange.status()).problem).toBeNull();
});

test('after a sleep, and on another network, the first tick asks at once and opens the stream of hints again', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using exchange = await begin(hosted, one);
  await hosted.record('case-1', 'i2', 'NA');
  exchange.sleep(8 * HOUR);
  await exchange.pass(0);
  await eventually(async () => expect(await one.cells('case-1')).toHaveLength(2));
  await exchange.pass(2_000);
  expect(exchange.streams.map(({ ended }) => ended)).toEqual([true, false]);
  await exchange.pass(2 * MINUTE);
  expect(exchange.streams).toHaveLength(2);

  exchange.address = 'train';
  exchange.asked.length = 0;
  await exchange.pass(16_000);
  expect(exchange.asked.filter((path) => path === 'sync/cases').length).toBeGreaterThanOrEqual(1);
  expect(exchange.streams.map(({ ended }) => ended)).toEqual([true, true, false]);
});

test('a tick that comes in time wakes nobody; one that comes late or finds other addresses does, once', () => {
  let now = 0;
  let addresses = 'a';
  let woke = 0;
  let due: (() => void) | undefined;
  const stop = watchForSleep(
    { now: () => now, after: (_, callback) => ((due = callback), () => (due = undefined)) },
    () => addresses,
    () => (woke += 1),
  );
  const tick = (ms: number): void => {
    now += ms;
    due?.();
  };
  for (let beat = 0; beat < 10; beat += 1) tick(15_000);
  tick(44_000);
  expect(woke).toBe(0);
  tick(46_000);
  tick(15_000);
  expect(woke).toBe(1);
  addresses = 'b';
  tick(15_000);
  tick(15_000);
  expect(woke).toBe(2);
  // A clock that is set back is no sleep.
  tick(-86_400_000);
  tick(15_000);
  expect(woke).toBe(2);
  stop();
  tick(3_600_000);
  expect(woke).toBe(2);
});
