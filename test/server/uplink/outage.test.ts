import { expect, test } from 'vitest';
import { ACCOUNT_HINT } from '../../../src/shared/contract/sync.ts';
import { ATTENDED_BACKOFF_MS } from '../../../src/sync/loop.ts';
import { startProxy } from '../../support/fault-proxy.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { eventually, RULE, Studio } from './world.ts';

/** A studio whose hosted server has been away for a while, with one change that waits. */
async function afterOutage(minutes: number) {
  await using started = new AsyncDisposableStack();
  const hosted = started.use(await Studio.hosted());
  const one = started.use(await Studio.open('one'));
  const proxy = started.adopt(await startProxy(hosted.server.url), (open) => open.close());
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  const exchange = started.use(await Exchange.open(one, hosted, project, proxy.url));
  await eventually(async () => expect(await exchange.verifiedAt('case-1')).toBeDefined());
  proxy.down = true;
  exchange.openable = false;
  await one.record('case-1', 'i2', 'NA');
  await exchange.pass(minutes * MINUTE, false);
  expect((await exchange.status()).state).toBe('offline');
  const all = started.move();
  const delivered = async (): Promise<boolean> =>
    (await hosted.cells('case-1')).includes(`i2/${RULE}=NA`);
  const back = (): void => {
    proxy.down = false;
  };
  return {
    hosted,
    one,
    exchange,
    back,
    delivered,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('R11 when the stream of events opens after an outage, what waits goes at once', async () => {
  await using world = await afterOutage(40);
  const { exchange, back, delivered } = world;
  const before = exchange.streams.length;
  back();
  exchange.openable = true;
  for (let second = 0; second < 120 && exchange.streams.length === before; second += 1)
    await exchange.pass(1_000, false);
  expect(exchange.streams.length).toBeGreaterThan(before);
  await exchange.pass(5_000, false);
  expect(await delivered()).toBe(true);
}, 120_000);

test('R11 a fresh edit asks at once, though there is no stream of events', async () => {
  await using world = await afterOutage(40);
  const { exchange, one, back, delivered } = world;
  back();
  await one.record('case-1', 'i3', 'TRUE');
  await exchange.pass(5_500, false);
  expect(await delivered()).toBe(true);
}, 120_000);

test('R11 while somebody works no wait is longer than half a minute; unattended ones grow', async () => {
  await using world = await afterOutage(2);
  const { exchange } = world;
  const waits: number[] = [];
  for (let minute = 0; minute < 8; minute += 1) {
    exchange.engine.attended();
    await exchange.pass(MINUTE, false);
    waits.push((exchange.engine.nextAt ?? Infinity) - exchange.now);
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(ATTENDED_BACKOFF_MS);
  await exchange.pass(30 * MINUTE, false);
  const asked = exchange.asked.length;
  await exchange.pass(10 * MINUTE, false);
  expect(exchange.asked.length - asked).toBeLessThan(10);
}, 120_000);

test('R11 U5 a viewer who becomes a member can send as soon as the server tells', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  const theirs = await hosted.makeProject('Theirs');
  await hosted.makeCase(theirs, 'case-9');
  await hosted.record('case-9', 'x', 'TRUE');
  await using exchange = await Exchange.open(one, hosted, theirs, hosted.server.url, 'viewer');
  await eventually(async () => expect(await one.cells('case-9')).toEqual([`x/${RULE}=TRUE`]));
  await one.record('case-9', 'mine', 'NA');
  await exchange.pass(2_000);
  expect(await hosted.cells('case-9')).not.toContain(`mine/${RULE}=NA`);
  await hosted.makeKey('Ada', 'member');
  exchange.streams.at(-1)!.say(`data: {"case":"${ACCOUNT_HINT}","seq":0}\n\n`);
  await new Promise((resolve) => setImmediate(resolve));
  await exchange.pass(5_000);
  await eventually(async () => expect(await hosted.cells('case-9')).toContain(`mine/${RULE}=NA`));
}, 120_000);
