import { describe, expect, it } from 'vitest';
import { type Site, SITES } from '../../bench/capacity/site.ts';
import { simulate } from '../../bench/capacity/simulation.ts';
import { Station, Timeline } from '../../bench/capacity/stations.ts';
import { seeded } from '../../support/random.ts';

/** Eight teams of four, each desktop with twelve edits a minute. */
const SMALL: Site = {
  ...SITES[1]!,
  name: 'small',
  accounts: 8,
  desktops: 32,
  editsPerMinute: 12,
  agents: 0,
  instances: 2,
  lasts: 30_000,
};
const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

describe('a station', () => {
  it('serves who waits in order, and as many at once as it has places', () => {
    const time = new Timeline();
    const station = new Station(time, 2);
    const done: string[] = [];
    for (const [name, ms] of [
      ['a', 30],
      ['b', 10],
      ['c', 10],
      ['d', 10],
    ] as const)
      station.use(ms, () => done.push(`${name} ${time.now}`));
    time.runUntil(100);
    expect(done).toEqual(['b 10', 'c 20', 'a 30', 'd 30']);
    expect([station.longest, station.used, station.waits]).toEqual([2, 60, [0, 0, 10, 20]]);
  });
  it('turns away who has waited for too long', () => {
    const time = new Timeline();
    const station = new Station(time, 1, 50);
    const heard: string[] = [];
    station.use(100, () => heard.push('served'));
    station.enter(
      () => heard.push('late'),
      () => heard.push('turned away'),
    );
    time.runUntil(200);
    expect(heard).toEqual(['turned away', 'served']);
  });
  it('lets wait as long as queueing theory says', () => {
    const time = new Timeline();
    const station = new Station(time, 1);
    const random = seeded(7);
    const come = (): void => {
      station.use(8, () => undefined);
      time.after(-Math.log(1 - random.int(1_000_000) / 1_000_000) * 10, come);
    };
    come();
    time.runUntil(1_000_000);
    // By chance every 10 ms, served in 8 ms each: 0.8 * 8 / (2 * (1 - 0.8)) ms on average.
    expect(sum(station.waits) / station.waits.length).toBeGreaterThan(16 * 0.9);
    expect(sum(station.waits) / station.waits.length).toBeLessThan(16 * 1.1);
  });
});

describe('the simulation of a site', () => {
  it('is the same for the same seed, and another for another', () => {
    const [one, same, other] = [simulate(SMALL, 1), simulate(SMALL, 1), simulate(SMALL, 2)];
    expect(same.delays).toEqual(one.delays);
    expect(same.used).toEqual(one.used);
    expect(other.delays).not.toEqual(one.delays);
  });
  it('brings every edit to each other desktop of its team once, also over an outage', () => {
    for (const outage of [undefined, { from: 15_000, to: 25_000 }]) {
      const { delays, edits, listeningAfter, sentAfter } = simulate(
        { ...SMALL, lasts: 120_000, outage },
        3,
      );
      // The last ones are still on their way.
      expect(delays.length).toBeGreaterThan(3 * (edits - 40));
      expect(delays.length).toBeLessThanOrEqual(3 * edits);
      expect(listeningAfter !== undefined && sentAfter !== undefined).toBe(outage !== undefined);
    }
  });
  it('shows a queue that grows where there is more to do than cores do', () => {
    const busy = simulate(
      { ...SMALL, desktops: 400, editsPerMinute: 60, databaseCores: 1, lasts: 10_000 },
      1,
    );
    const waiting = [...busy.waiting.pools, ...busy.waiting.threads];
    expect(busy.used.database / 10_000).toBeGreaterThan(0.95);
    expect(Math.max(...waiting)).toBeGreaterThan(100);
    const calm = simulate(SMALL, 1);
    expect(Math.max(...calm.waiting.pools, ...calm.waiting.database)).toBeLessThan(10);
  });
});
