import { expect, test } from '@playwright/test';
import { seededFaults } from '../../support/fault-proxy.ts';
import { missing } from '../../support/journal.ts';
import { seeded } from '../../support/random.ts';
import { openReplica, type Replica } from '../../support/station.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { CASE, PROFILE, Studios } from '../../support/studios.ts';
import { type ServedHarness, serveHarness } from '../harness/serve.ts';

const ADDRESS = { caseUid: CASE, profileUid: PROFILE, profileVersion: '1.0' };
const SLOW = { timeout: 60_000, intervals: [100, 200] };
let studios: Studios;
let harness: ServedHarness;
let replicas: Replica[];

test.setTimeout(180_000);
test.beforeAll(async () => {
  harness = await serveHarness(new URL('../replica', import.meta.url).pathname, null);
  studios = await Studios.begin(2);
});
test.afterAll(async () => {
  await studios.end();
  await harness.close();
});
/**
 * A window on each desktop and one in a browser on the hosted server, each with a disk of its own.
 */
test.beforeEach(async ({ browser }) => {
  replicas = [];
  for (const station of [...studios.hubs.map((hub) => hub.station), studios.hosted]) {
    const replica = await openReplica(
      await (await browser.newContext()).newPage(),
      station,
      harness.url,
      ADDRESS,
    );
    await replica.open();
    replicas.push(replica);
  }
});
test.afterEach(async () => {
  for (const { page } of replicas) await page.context().close();
});

async function write(
  replica: Replica,
  item: string,
  column: number,
  raw_outcome: 'TRUE' | 'FALSE' | 'NA',
): Promise<string> {
  const token = studios.journal.token();
  await replica.call(
    'write',
    { item, rule: studios.rules[column] ?? '' },
    { raw_outcome, source_value: token },
  );
  return token;
}
async function saved(replica: Replica): Promise<void> {
  await expect.poll(async () => (await replica.call('status')).waiting, SLOW).toBe(0);
}

/** Everywhere the same, windows and servers, and all of the journal in it. */
async function expectNothingLost(): Promise<void> {
  for (const { proxy } of replicas) {
    proxy.down = false;
    proxy.plan = () => null;
    await proxy.deliverLate();
  }
  for (const replica of replicas) await saved(replica);
  await studios.expectNothingLost();
  const { items, summary } = await studios.hosted.send(
    'GET',
    `cases/${CASE}/evidence?profile_uid=${PROFILE}&limit=200`,
  );
  const cells = items.map((item: { item_uid: string; evidence: Record<string, unknown>[] }) => [
    item.item_uid,
    Object.fromEntries(
      item.evidence.map((cell) => [
        cell.rule_uid,
        [cell.raw_outcome, cell.source_value, cell.notes, cell.contested],
      ]),
    ),
  ]);
  for (const replica of replicas) {
    await expect
      .poll(async () => {
        const view = await replica.call('view');
        return {
          recorded: view.summary.recorded,
          cells: view.items.map((item) => [
            item.item_uid,
            Object.fromEntries(
              Object.entries(item.cells).map(([rule, cell]) => [
                rule,
                [cell.raw_outcome, cell.source_value, cell.notes, cell.contested],
              ]),
            ),
          ]),
        };
      }, SLOW)
      .toEqual({ recorded: summary.recorded, cells });
  }
}

test(
  'I1 I2 I8 three windows write the same cells, their servers cut off from each other and spoiled: all is everywhere, and contests',
  IN_LONG_FORM,
  async () => {
    const random = seeded(11);
    for (const { proxy } of studios.hubs) proxy.down = true;
    for (const { proxy } of replicas) proxy.plan = seededFaults(random, 0.25);
    for (let n = 0; n < 5; n += 1) {
      for (const replica of replicas) {
        const token = await write(
          replica,
          random.pick(['a', 'b', 'c']),
          n % 2,
          random.pick(['TRUE', 'FALSE', 'NA']),
        );
        await saved(replica);
        studios.journal.acknowledged(token);
      }
    }
    for (const { proxy } of studios.hubs) {
      proxy.down = false;
      proxy.plan = seededFaults(random, 0.25);
    }
    await expectNothingLost();
    const { items } = await studios.hosted.send(
      'GET',
      `cases/${CASE}/evidence?profile_uid=${PROFILE}`,
    );
    expect(JSON.stringify(items)).toContain('"contested":true');
  },
);

test('I2 a window dies with a full outbox, its server is killed, and both come back', async () => {
  const [one] = replicas as [Replica];
  const station = studios.hubs[0]!.station;
  one.proxy.down = true;
  const tokens = [];
  for (let n = 0; n < 3; n += 1) tokens.push(await write(one, 'a', n, 'NA'));
  // What a window has put on its own disk outlives the window.
  studios.journal.acknowledged(...tokens);
  await station.kill();
  await one.page.goto('about:blank');
  await station.start();
  await one.open();
  await expectNothingLost();
});

test(
  'I2 the browser throws a window’s store away: what the server had acknowledged is all there, and no more was promised',
  IN_LONG_FORM,
  async () => {
    const [one, two] = replicas as [Replica, Replica];
    const acknowledged = await write(one, 'b', 0, 'TRUE');
    await saved(one);
    studios.journal.acknowledged(acknowledged);
    one.proxy.down = true;
    const lost = await write(one, 'b', 1, 'TRUE');
    await one.call('close');
    await one.call('forget');
    // A request that was under way would otherwise be sent again once its server is back.
    await one.page.goto('about:blank');
    one.proxy.down = false;
    await one.open();
    studios.journal.acknowledged(
      await (async () => {
        const token = await write(two, 'b', 2, 'FALSE');
        await saved(two);
        return token;
      })(),
    );
    await expectNothingLost();
    // It was on that disk alone, and nobody was told otherwise.
    expect(missing([lost], await studios.log(studios.hosted))).toEqual([lost]);
  },
);

test(
  'I13 R5 a window whose clock is ten years ahead, and event streams that never speak',
  IN_LONG_FORM,
  async () => {
    const [one, two] = replicas as [Replica, Replica];
    for (const { proxy } of replicas)
      proxy.plan = (request) => (request.path.includes('/events') ? { do: 'silence' } : null);
    await one.open(`?shift=${10 * 365 * 86_400_000}`);
    await two.open('?shift=-86400000');
    for (const [replica, raw] of [
      [one, 'TRUE'],
      [two, 'FALSE'],
    ] as const) {
      const token = await write(replica, 'c', 0, raw);
      await saved(replica);
      studios.journal.acknowledged(token);
    }
    await expect
      .poll(async () => missing(studios.journal.tokens(), await studios.log(studios.hosted)), SLOW)
      .toEqual([]);
    await expectNothingLost();
  },
);
