import { expect, test } from 'vitest';
import { startProxy } from '../../support/fault-proxy.ts';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { strictServer } from './strict-server.ts';
import { converge, eventually, RULE, Studio } from './world.ts';

const CASES = ['case-1', 'case-2', 'case-3', 'case-4'].concat(lengthOf([], ['case-5', 'case-6']));
/** Bytes between two cuts. */
const STRIDE = lengthOf(900, 20);
const LONG = { timeout: 600_000 };

/** A studio with some cases, each with one outcome. */
async function filled(name: string): Promise<{ one: Studio; project: string }> {
  const one = await Studio.open(name);
  const project = await one.makeProject('Trios');
  for (const uid of CASES) {
    await one.makeCase(project, uid);
    await one.record(uid, 'a', 'TRUE');
  }
  return { one, project };
}

/** A studio behind a server that refuses what holds the word `poisoned`. */
async function strictWorld() {
  await using started = new AsyncDisposableStack();
  const hosted = started.use(await Studio.hosted());
  const { one, project } = await filled('one');
  started.use(one);
  const strict = started.adopt(await strictServer(hosted.server.url), async (server) =>
    server.close(),
  );
  const all = started.move();
  return { hosted, one, project, strict, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
const requests = (asked: readonly string[], operation: string): number =>
  asked.filter((request) => request === `POST ${operation}`).length;

const REFUSALS = [
  ['a part is refused for what it holds', [422, 'validation_failed'], false],
  ['something on the way refuses the whole for its length', [413, 'payload_too_large'], true],
  ['a part is refused for its bytes', [422, 'hash_mismatch'], false],
  ['a filter on the way refuses the whole for one part', [422, 'validation_failed'], true],
] as const;
test.each(REFUSALS.slice(0, lengthOf(2, 4)))(
  'R10 R14 the other cases go, and the rest of its own, where %s',
  async (_, answer, whole) => {
    await using world = await strictWorld();
    const { hosted, one, project, strict } = world;
    Object.assign(strict, { answer, refusesWhole: whole });
    for (const item of ['poisoned', 'b']) await one.record('case-3', item, 'TRUE');
    await one.connect(strict.url, (await hosted.makeKey('Ada')).key);
    await one.share(project);
    const others = CASES.filter((uid) => uid !== 'case-3');
    await converge(others, hosted, one);
    await eventually(async () =>
      expect(await hosted.cells('case-3')).toEqual([`a/${RULE}=TRUE`, `b/${RULE}=TRUE`]),
    );
    await eventually(async () =>
      expect(await one.status()).toMatchObject({
        totals: { waiting: 0, blocked: 1 },
        kept_changes: [{ stream: 'case-3' }],
      }),
    );
    expect(requests(strict.asked, 'batch')).toBeGreaterThan(0);
  },
);

test(
  'R12 a server that fails on one case of several sets aside what it fails on alone',
  LONG,
  async () => {
    await using world = await strictWorld();
    const { hosted, one, project, strict } = world;
    Object.assign(strict, { answer: [500, 'internal_error'], refusesWhole: true });
    for (const item of ['poisoned', 'b']) await one.record('case-3', item, 'TRUE');
    await using exchange = await Exchange.open(one, hosted, project, strict.url);
    for (let n = 0; n < 20 && (await exchange.status()).kept_changes.length === 0; n += 1) {
      await exchange.pass(MINUTE / 2);
      // Meanwhile the others wait for nothing.
      for (const uid of CASES.filter((name) => name !== 'case-3'))
        expect(await hosted.digest(uid), uid).toBe(await one.digest(uid));
    }
    await exchange.pass(MINUTE);
    expect(await exchange.status()).toMatchObject({
      totals: { waiting: 0, blocked: 1 },
      kept_changes: [{ stream: 'case-3' }],
    });
    expect(await hosted.cells('case-3')).toEqual([`a/${RULE}=TRUE`, `b/${RULE}=TRUE`]);
  },
);

test('a server of an earlier version is asked about one log at a time, also where it takes the place of a newer one', async () => {
  await using world = await strictWorld();
  const { hosted, one, project, strict } = world;
  strict.isOld = true;
  await one.connect(strict.url, (await hosted.makeKey('Ada')).key);
  await one.share(project);
  await converge(CASES, hosted, one);
  expect(requests(strict.asked, 'batch')).toBe(0);
  expect((await one.ok('GET', '/api/v1/uplink/diagnostics')).failures).toEqual([]);

  // After an upgrade of that server, which ends the stream of hints, they go together.
  strict.isOld = false;
  await one.restart();
  for (const uid of CASES) await one.record(uid, 'b', 'NA');
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await converge(CASES, hosted, one);
  expect(requests(strict.asked, 'batch')).toBeGreaterThan(0);

  // And put back: what it said of itself does not hold any more.
  strict.isOld = true;
  for (const uid of CASES) await one.record(uid, 'c', 'NA');
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await converge(CASES, hosted, one);
  expect(await one.status()).toMatchObject({ totals: { waiting: 0, blocked: 0 } });
});

test('two studios with many cases each take in the other’s in few requests', async () => {
  await using hosted = await Studio.hosted();
  const { one, project } = await filled('one');
  await using _one = one;
  await using two = await Studio.open('two');
  await using proxy = await startProxy(hosted.server.url);
  await one.connect(hosted.server.url, (await hosted.makeKey('Ada')).key);
  await one.share(project);
  await converge(CASES, hosted, one);
  await two.connect(proxy.url, (await hosted.makeKey('Ben')).key);
  await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
  const before = proxy.seen.length;
  await two.share(project);
  await converge(CASES, hosted, one, two);
  const asked = proxy.seen.slice(before).map(({ path }) => path.split('?')[0]!);
  expect(asked.filter((path) => path.endsWith('/batch')).length).toBeGreaterThan(0);
  expect(asked.filter((path) => path.includes('/sync/cases/')).length).toBeLessThan(CASES.length);
  for (const uid of CASES) expect(await two.cells(uid)).toEqual([`a/${RULE}=TRUE`]);
});

test(
  `R2 I3 the answer to a batch, cut ${IS_LONG ? 'at every 20th byte' : 'here and there'}: each change is there once`,
  LONG,
  async () => {
    await using hosted = await Studio.hosted();
    const { one, project } = await filled('one');
    await using _one = one;
    await using proxy = await startProxy(hosted.server.url);
    await using exchange = await Exchange.open(one, hosted, project, proxy.url);
    const inStep = async (): Promise<void> => {
      for (let tries = 0; tries < 20; tries += 1) {
        await exchange.pass(MINUTE / 2);
        const equal = await Promise.all(
          CASES.map(
            async (uid) =>
              (await one.digest(uid)) === (await hosted.digest(uid)) &&
              (await exchange.verifiedAt(uid)) !== undefined,
          ),
        );
        if (equal.every(Boolean)) return;
      }
      throw new Error(`Not in step: ${JSON.stringify(await exchange.status())}`);
    };
    await inStep();
    let writes = 0;
    const write = async (): Promise<void> => {
      writes += 1;
      for (const [at, uid] of CASES.entries())
        await (at % 2 === 0 ? one : hosted).record(uid, 'a', writes % 2 === 0 ? 'TRUE' : 'FALSE');
    };
    await write();
    await inStep();
    const whole = Math.max(
      ...proxy.seen.filter(({ path }) => path.endsWith('/batch')).map(({ bytes }) => bytes),
    );
    expect(whole).toBeGreaterThan(1_000);
    let cut = 0;
    for (const fault of ['cut answer', 'cut request', 'flip'] as const)
      for (let at = 40; at < whole; at += STRIDE) {
        let spent = false;
        proxy.plan = ({ path }) =>
          spent || !path.endsWith('/batch') ? null : ((spent = true), { do: fault, at });
        await write();
        await inStep();
        if (spent) cut += 1;
      }
    expect(cut).toBeGreaterThan(3);
    for (const uid of CASES) {
      expect((await hosted.digest(uid)).split(' ')[0], uid).toBe(String(2 + writes));
      expect(await one.cells(uid)).toEqual(await hosted.cells(uid));
    }
    expect((await exchange.status()).totals).toMatchObject({ waiting: 0, blocked: 0 });
  },
);
