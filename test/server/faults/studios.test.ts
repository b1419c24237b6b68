import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, FAULT_KINDS, seededFaults } from '../../support/fault-proxy.ts';
import { type KillPoint, rigged } from '../../support/killing.ts';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { seeded } from '../../support/random.ts';
import { Station } from '../../support/station.ts';
import { CASE, Studios } from '../../support/studios.ts';

const RAWS = ['TRUE', 'FALSE', 'NA'] as const;
let studios: Studios;
beforeAll(async () => {
  studios = await Studios.begin(2);
}, 90_000);
afterAll(() => studios.end(), 60_000);

async function died(station: Station): Promise<void> {
  await expect.poll(() => station.served.child.signalCode, { timeout: 20_000 }).toBe('SIGKILL');
}

describe('a hosted server and two desktops', () => {
  it(
    'I1 I2 what both write is everywhere, and contests where they did not see each other',
    { timeout: 90_000 },
    async () => {
      const [one, two] = studios.hubs;
      for (const hub of studios.hubs) hub.proxy.down = true;
      await studios.write(one!.station, 'a', 0, 'TRUE');
      await studios.write(two!.station, 'a', 0, 'FALSE');
      await studios.write(two!.station, 'new', 1, 'NA');
      await studios.expectNothingLost();
      const page = await studios.hosted.send(
        'GET',
        `cases/${CASE}/evidence?profile_uid=crispr_edit_evidence`,
      );
      expect(
        page.items.find((item: { item_uid: string }) => item.item_uid === 'a').evidence[0],
      ).toMatchObject({ contested: true });
    },
  );

  /** One of each side; the rest is played by the long form. */
  const POINTS: ['hosted' | 'desktop', KillPoint][] = [
    ['hosted', { at: 'commit', table: 'changes', nth: 1 }],
    ['desktop', { at: 'committed', table: 'changes', nth: 1 }],
  ];
  const OTHER_POINTS: typeof POINTS = [
    ['hosted', { at: 'committed', table: 'changes', nth: 1 }],
    ['desktop', { at: 'commit', table: 'changes', nth: 1 }],
    ['desktop', { at: 'statement', table: 'links', nth: 1 }],
    ['desktop', { at: 'commit', table: 'links', nth: 2 }],
    ['desktop', { at: 'committed', table: 'links', nth: 2 }],
  ];
  it.each(lengthOf(POINTS, [...POINTS, ...OTHER_POINTS]))(
    'I2 I4 SIGKILL of the %s at %j: nothing acknowledged is lost, nothing is there twice',
    { timeout: 90_000 },
    async (who, kill) => {
      const [one, two] = studios.hubs;
      const victim = who === 'hosted' ? studios.hosted : one!.station;
      await victim.kill();
      await victim.start(rigged({ kill }));
      for (let n = 0; n < 3; n += 1) {
        await studios.write(two!.station, 'a', n, RAWS[n % 3]!);
        await studios.write(one!.station, 'b', n, RAWS[n % 3]!);
        for (const { station } of studios.hubs)
          await station.asPerson('POST', 'uplink/sync', {}).catch(() => undefined);
      }
      await died(victim);
      await victim.start();
      await studios.expectNothingLost();
    },
  );

  it(
    'I1 I2 I3 a third of what passes is spoiled, both ways, while both write',
    { timeout: 120_000 },
    async () => {
      const random = seeded(7);
      const plan = seededFaults(random, 0.33);
      const seen = (): number =>
        studios.hubs.reduce((sum, { proxy }) => sum + proxy.seen.length, 0);
      const isMet = (kind: Fault['do']): boolean =>
        studios.hubs.some(({ proxy }) => proxy.spoiled().has(kind));
      for (const { proxy } of studios.hubs) proxy.plan = plan;
      while (!FAULT_KINDS.every(isMet)) {
        const before = seen();
        for (let n = 0; n < 4; n += 1)
          await studios.write(
            random.pick(studios.stations),
            random.pick(['a', 'b', 'c']),
            random.int(5),
            random.pick(RAWS),
          );
        for (const { station } of studios.hubs) await station.asPerson('POST', 'uplink/sync', {});
        await expect.poll(seen, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
      }
      await studios.expectNothingLost();
    },
  );

  it.runIf(IS_LONG)(
    'R11 after an outage what waits goes by itself, without anybody asking',
    { timeout: 180_000 },
    async () => {
      const [one] = studios.hubs;
      one!.proxy.down = true;
      await studios.write(one!.station, 'a', 0, 'NA');
      const state = async () => (await one!.station.asPerson('GET', 'uplink')).body;
      await expect.poll(async () => (await state()).state, { timeout: 60_000 }).toBe('offline');
      one!.proxy.down = false;
      // Each look is what an open window does.
      await expect
        .poll(async () => (await state()).totals.waiting, { timeout: 90_000, interval: 500 })
        .toBe(0);
      await studios.expectNothingLost();
    },
  );

  const DAY = 86_400_000;
  it.runIf(IS_LONG).each([
    ['a day back', -DAY],
    ['ten years ahead', 3_650 * DAY],
  ] as const)(
    'I13 a clock %s on one desktop: the exchange goes on',
    { timeout: 90_000 },
    async (_, shift) => {
      const [one, two] = studios.hubs;
      await one!.station.kill('SIGTERM');
      await one!.station.start(rigged({ shift }));
      await one!.station.signIn();
      for (let n = 0; n < 3; n += 1) {
        expect(await studios.write(one!.station, 'a', n, 'TRUE')).toBe(true);
        expect(await studios.write(two!.station, 'a', n, 'FALSE')).toBe(true);
      }
      await studios.expectNothingLost();
      await one!.station.kill('SIGTERM');
      await one!.station.start();
      await one!.station.signIn();
      await studios.expectNothingLost();
    },
  );

  it.runIf(IS_LONG).each(['as it was', 'and then written to'])(
    'R5 R6 I2 the hosted server is put back to a copy, %s, and nobody changes its epoch',
    { timeout: 90_000 },
    async (then) => {
      await studios.quiet();
      await studios.hosted.kill('SIGTERM');
      const copy = studios.copyOf(studios.hosted);
      await studios.hosted.start();
      for (const { station } of studios.hubs) await studios.write(station, 'b', 2, 'TRUE');
      await studios.quiet();
      await studios.hosted.kill('SIGTERM');
      rmSync(studios.hosted.data, { recursive: true });
      cpSync(copy, studios.hosted.data, { recursive: true });
      await studios.hosted.start();
      if (then !== 'as it was') for (const { proxy } of studios.hubs) proxy.down = true;
      if (then !== 'as it was')
        for (let n = 0; n < 4; n += 1) await studios.write(studios.hosted, 'c', n, 'NA');
      await studios.expectNothingLost();
    },
  );

  it.runIf(IS_LONG)(
    'R6 I2 the hosted server is restored by its own command',
    { timeout: 90_000 },
    async () => {
      await studios.hosted.command('backup', `${studios.hosted.data}/kept.sqlite`);
      for (const { station } of studios.hubs) await studios.write(station, 'c', 1, 'FALSE');
      await studios.quiet();
      await studios.hosted.kill('SIGTERM');
      await studios.hosted.command('restore', `${studios.hosted.data}/kept.sqlite`);
      await studios.hosted.start();
      await studios.expectNothingLost();
    },
  );

  it.runIf(IS_LONG)(
    'I1 I2 a desktop’s folder is copied to a second machine, and both go on',
    { timeout: 90_000 },
    async () => {
      const [one] = studios.hubs;
      await one!.station.kill('SIGTERM');
      const copy = studios.copyOf(one!.station);
      await one!.station.start();
      await one!.station.signIn();
      const twin = await Station.begin('twin', {}, copy);
      // The copy knows the hosted server by the address that was copied with it: both speak through
      // one proxy.
      studios.hubs.push({
        station: twin,
        proxy: one!.proxy,
        [Symbol.asyncDispose]: () => twin.end(),
      });
      for (let n = 0; n < 4; n += 1) {
        await studios.write(one!.station, 'a', n, 'TRUE');
        await studios.write(twin, 'a', n, 'NA');
      }
      await studios.expectNothingLost();
    },
  );

  it('I16 what no version here knows is passed on byte for byte', { timeout: 90_000 }, async () => {
    const { foreignChange, set, wire } = await import('../../contract/world.ts');
    const unknown = foreignChange(
      CASE,
      [
        set('future/thing/1', { any: ['thing', 'ü'] }),
        set(`a/crispr_edit_evidence@1.0/${studios.rules[0]}/a`, { raw_outcome: 'TRUE' }),
      ],
      { schema: 99 },
    );
    const { results } = await studios.hubs[0]!.station.asStudio('POST', `sync/cases/${CASE}/push`, {
      protocol: 1,
      changes: [wire(unknown)],
    });
    expect(results).toMatchObject([{ status: 'quarantined', quarantined: [0, 1] }]);
    await studios.expectNothingLost();
    for (const station of studios.stations)
      expect(
        (await studios.log(station)).find(({ id }) => id === unknown.id),
        station.name,
      ).toMatchObject({ change: unknown.text, quarantined: [0, 1] });
  });
});
