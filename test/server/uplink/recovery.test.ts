import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, startProxy } from '../../support/fault-proxy.ts';
import type { Json } from '../../support/json.ts';
import { mayPush } from './exchange.ts';
import { converge, eventually, RULE, Studio } from './world.ts';

let hosted: Studio;
let one: Studio;
let two: Studio;
let proxy: FaultProxy;
let project: string;

beforeEach(async () => {
  [hosted, one, two] = await Promise.all([Studio.hosted(), Studio.open('one'), Studio.open('two')]);
  proxy = await startProxy(hosted.server.url);
  project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  await one.connect(proxy.url, (await hosted.makeKey('Ada', 'member')).key);
  await two.connect(proxy.url, (await hosted.makeKey('Ben', 'member')).key);
  await one.share(project);
  await converge(['case-1'], hosted, one);
  await two.ok('POST', '/api/v1/uplink/sync', {});
  await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
  await two.share(project);
  await converge(['case-1', `@project/${project}`], hosted, one, two);
});
afterEach(async () => {
  await Promise.all([one, two].map((studio) => studio[Symbol.asyncDispose]()));
  await proxy.close();
  await hosted[Symbol.asyncDispose]();
});

const wake = async (...studios: Studio[]): Promise<void> => {
  for (const studio of studios) await studio.ok('POST', '/api/v1/uplink/sync', {});
};
const offline = async (studio: Studio): Promise<void> => {
  await eventually(async () => expect((await studio.status()).state).toBe('offline'));
};

describe('what is written while the other side is away', () => {
  test('on both studios is there on both afterwards; two values of one cell contest (I2, I8)', async () => {
    proxy.down = true;
    await one.record('case-1', 'i1', 'FALSE');
    await two.record('case-1', 'i1', 'NA');
    await two.record('case-1', 'i2', 'TRUE');
    await offline(one);
    expect(await one.status()).toMatchObject({
      state: 'offline',
      problem: expect.stringContaining('could not be reached'),
      totals: { waiting: 1 },
    });
    proxy.down = false;
    await wake(one, two);
    await converge(['case-1'], hosted, one, two);
    const cells = await one.cells('case-1');
    expect(cells).toEqual(await two.cells('case-1'));
    expect(cells).toEqual(await hosted.cells('case-1'));
    expect(cells).toContain(`i2/${RULE}=TRUE`);
    expect(cells.filter((cell) => cell.startsWith('i1/'))[0]).toMatch(/!$/);
  });

  test('goes once, though the answer to it was lost (I3, R2)', async () => {
    let lost = 0;
    proxy.plan = ({ path: target }) =>
      mayPush(target) && lost++ < 2 ? { do: 'cut answer', at: 0 } : null;
    await one.record('case-1', 'i9', 'TRUE');
    await eventually(() => expect(lost).toBeGreaterThan(0));
    await converge(['case-1'], hosted, one, two);
    expect(lost).toBeGreaterThan(1);
  });

  test('a guest network’s page is recognized, and changes nothing', async () => {
    proxy.plan = () => ({ do: 'html' });
    await one.record('case-1', 'i3', 'TRUE');
    await offline(one);
    expect((await one.status()).problem).toContain('guest network');
    expect(
      await one.call('PUT', '/api/v1/uplink', {
        url: proxy.url,
        key: (await hosted.makeKey('Ada')).key,
      }),
    ).toMatchObject({
      status: 422,
      body: { error: 'no_connection', details: [{ path: '/url', code: 'not_the_server' }] },
    });
    proxy.plan = () => null;
    await wake(one);
    await converge(['case-1'], hosted, one, two);
  });

  test('a restarted studio continues by itself with the key that it kept', async () => {
    proxy.down = true;
    await one.record('case-1', 'i4', 'TRUE');
    await one.restart();
    await offline(one);
    proxy.down = false;
    await wake(one);
    await converge(['case-1'], hosted, one, two);
  });
});

describe('R5 R6: a store that was put back', () => {
  const bumpEpoch = (studio: Studio) => (): Promise<void> =>
    studio.sql("UPDATE meta SET value = 'another0epoch000' WHERE key = 'epoch'");

  test.each([
    ['under the same epoch', false],
    ['under a new epoch', true],
  ])(
    'the hosted one, %s, gets back what came after its backup, a whole case too (U6)',
    async (_, bumped) => {
      const backup = await hosted.backUp();
      await one.record('case-1', 'late-1', 'TRUE');
      await two.record('case-1', 'late-2', 'FALSE');
      await one.makeCase(project, 'case-2');
      await one.record('case-2', 'x', 'NA');
      await converge(['case-1', 'case-2'], hosted, one, two);
      await hosted.restore(backup, bumped ? bumpEpoch(hosted) : undefined);
      expect(await hosted.digest('case-2')).toBe('none');
      await wake(one, two);
      await converge(['case-1', 'case-2', `@project/${project}`], hosted, one, two);
      expect(await hosted.cells('case-1')).toEqual(
        expect.arrayContaining([`late-1/${RULE}=TRUE`, `late-2/${RULE}=FALSE`]),
      );
      // Names were offered, not everything sent again.
      await eventually(async () => {
        const { recent_events } = await hosted.ok('GET', '/api/v1/usage');
        expect((recent_events as Json[]).map(({ action }) => action)).toContain('syncMissing');
      });
    },
  );

  test('the hosted one, written to by another before anybody noticed', async () => {
    const backup = await hosted.backUp();
    await one.record('case-1', 'late-1', 'TRUE');
    await converge(['case-1'], hosted, one, two);
    proxy.down = true;
    await hosted.restore(backup);
    await hosted.record('case-1', 'meanwhile-1', 'NA');
    await hosted.record('case-1', 'meanwhile-2', 'NA');
    proxy.down = false;
    await wake(one, two);
    await converge(['case-1'], hosted, one, two);
    expect(await two.cells('case-1')).toEqual(
      expect.arrayContaining([`late-1/${RULE}=TRUE`, `meanwhile-2/${RULE}=NA`]),
    );
  });

  test('a studio gets back what it had sent', async () => {
    const backup = await one.backUp();
    await one.record('case-1', 'late-1', 'TRUE');
    await two.record('case-1', 'late-2', 'FALSE');
    await converge(['case-1'], hosted, one, two);
    await one.restore(backup);
    await one.record('case-1', 'after', 'NA');
    await wake(one);
    await converge(['case-1'], hosted, one, two);
    expect(await one.cells('case-1')).toEqual(
      expect.arrayContaining([`late-1/${RULE}=TRUE`, `late-2/${RULE}=FALSE`, `after/${RULE}=NA`]),
    );
  });

  test('a studio copied to a second machine: both go on', async () => {
    const copy = await one.backUp();
    await two.restore(copy);
    await one.record('case-1', 'from-one', 'TRUE');
    await two.record('case-1', 'from-copy', 'FALSE');
    await wake(one, two);
    await converge(['case-1'], hosted, one, two);
    expect(await hosted.cells('case-1')).toEqual(
      expect.arrayContaining([`from-one/${RULE}=TRUE`, `from-copy/${RULE}=FALSE`]),
    );
  });
});
