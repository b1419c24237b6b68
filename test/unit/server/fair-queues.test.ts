import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Entrance } from '../../../src/server/http/entrance.ts';
import { FairPlaces } from '../../../src/server/storage/db/postgres/fair-places.ts';

const never = new Promise<never>(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes places for a name; tells how many it was given, and gives the oldest of them back. */
class Taker {
  given: (() => void)[] = [];
  readonly #places: FairPlaces;
  readonly #name: string | undefined;
  readonly #isBehind: boolean;
  constructor(places: FairPlaces, name: string | undefined, isBehind = false) {
    [this.#places, this.#name, this.#isBehind] = [places, name, isBehind];
  }
  take(times = 1, givenUp: Promise<never> = never): void {
    for (let n = 0; n < times; n += 1)
      this.#places.take(this.#name, givenUp, this.#isBehind).then(
        (back) => this.given.push(back),
        () => undefined,
      );
  }
  back(): void {
    this.given.shift()!();
  }
}

describe('places shared among accounts', () => {
  it('are all for an account that is alone; a newcomer is given the next one, and from then on some stay free', async () => {
    let now = 0;
    const places = new FairPlaces(8, () => now);
    const [heavy, light] = [new Taker(places, 'heavy'), new Taker(places, 'light')];
    heavy.take(100);
    await turn();
    expect(heavy.given).toHaveLength(8);
    light.take();
    await turn();
    expect(light.given).toHaveLength(0);
    heavy.back();
    await turn();
    expect([heavy.given.length, light.given.length]).toEqual([7, 1]);
    light.back();
    heavy.back();
    await turn();
    expect(heavy.given).toHaveLength(6);
    light.take(2);
    await turn();
    expect(light.given).toHaveLength(2);
    light.back();
    light.back();
    now += 10_000;
    heavy.back();
    heavy.take();
    await turn();
    expect(heavy.given).toHaveLength(8);
  });

  it('are given first to what belongs to no account', async () => {
    const places = new FairPlaces(1, () => 0);
    const [heavy, nobody] = [new Taker(places, 'heavy'), new Taker(places, undefined)];
    heavy.take(3);
    nobody.take();
    await turn();
    heavy.back();
    await turn();
    expect([heavy.given.length, nobody.given.length]).toEqual([0, 1]);
  });

  it('are given to an agent next in a queue full of desktops that catch up, which keep half', async () => {
    let now = 0;
    const places = new FairPlaces(4, () => now);
    const desktops = Array.from({ length: 50 }, (_, n) => new Taker(places, `team ${n}`, true));
    for (const desktop of desktops) desktop.take(2);
    await turn();
    const held = (): Taker[] =>
      desktops.flatMap((desktop) => desktop.given.map((): Taker => desktop));
    expect(held()).toHaveLength(4);
    const agent = new Taker(places, 'agent');
    for (let n = 0; n < 20; n += 1) {
      // However much its account has had, as against theirs.
      agent.take();
      now += 100;
      held()[0]!.back();
      await turn();
      expect(agent.given).toHaveLength(1);
      agent.back();
      await turn();
    }
    agent.take(50);
    for (let n = 0; n < 10; n += 1) {
      held()[0]!.back();
      await turn();
      expect(held().length).toBeGreaterThanOrEqual(2);
    }
  });

  it('of one account, too, are shared between its agents and its desktops', async () => {
    const places = new FairPlaces(4, () => 0);
    const [agent, desktop] = [new Taker(places, 'a'), new Taker(places, 'a', true)];
    agent.take(100);
    desktop.take(100);
    for (let n = 0; n < 10; n += 1) {
      await turn();
      agent.back();
    }
    await turn();
    expect([agent.given.length, desktop.given.length]).toEqual([2, 2]);
  });

  it('are passed over those who gave up waiting', async () => {
    const places = new FairPlaces(1, () => 0);
    const taker = new Taker(places, 'a');
    const gaveUp = Promise.withResolvers<never>();
    taker.take();
    taker.take(1, gaveUp.promise);
    taker.take();
    await turn();
    gaveUp.reject(new Error('enough'));
    await turn();
    expect(places.waiting).toBe(1);
    taker.back();
    await turn();
    expect([taker.given.length, places.waiting]).toEqual([1, 0]);
  });

  it('are never more than there are, and reach everybody', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.array(fc.tuple(fc.nat(3), fc.boolean()), { minLength: 50, maxLength: 200 }),
        async (count, steps) => {
          let now = 0;
          const places = new FairPlaces(count, () => now);
          const takers = ['a', 'b', 'c', undefined].map(
            (name, n) => new Taker(places, name, n === 2),
          );
          let wanted = 0;
          for (const [who, takes] of steps) {
            const taker = takers[who]!;
            if (takes) {
              taker.take();
              wanted += 1;
            } else if (taker.given.length > 0) taker.back();
            now += 1;
            await turn();
            expect(takers.reduce((sum, { given }) => sum + given.length, 0)).toBeLessThanOrEqual(
              count,
            );
          }
          for (let n = 0; n <= wanted; n += 1) {
            for (const { given } of takers) given.shift()?.();
            await turn();
          }
          expect([places.waiting, takers.flatMap(({ given }) => given)]).toEqual([0, []]);
        },
      ),
      { seed: 1, numRuns: 50 },
    );
  });
});

const KIB = 1024;

describe('the entrance', () => {
  const here = (): boolean => false;
  it('lets short requests in at once, and of long ones as much as is worked on at one time, whoever sends them', async () => {
    const entrance = new Entrance();
    const inside: string[] = [];
    for (let n = 0; n < 5; n += 1)
      void entrance.enter('a', 500 * KIB, here).then(() => inside.push('long'));
    for (let n = 0; n < 5; n += 1)
      void entrance.enter('a', 1_000, here).then(() => inside.push('short'));
    await turn();
    expect(inside.toSorted()).toEqual([
      'long',
      'long',
      'long',
      'short',
      'short',
      'short',
      'short',
      'short',
    ]);
  });

  it('lets accounts in by what they cost, not by how many requests they send', async () => {
    const entrance = new Entrance();
    const worked = new Map<string, number>();
    const leaving: (() => void)[] = [];
    const send = (name: string, bytes: number): void => {
      void entrance.enter(name, bytes, here).then((leave) => {
        worked.set(name, (worked.get(name) ?? 0) + bytes);
        leaving.push(leave);
      });
    };
    for (let n = 0; n < 200; n += 1) send('many', 250 * KIB);
    for (let n = 0; n < 20; n += 1) send('few', 1_000 * KIB);
    for (let n = 0; n < 60; n += 1) {
      await turn();
      leaving.shift()?.();
    }
    expect(worked.get('few')! / worked.get('many')!).toBeGreaterThan(0.7);
    expect(worked.get('few')! / worked.get('many')!).toBeLessThan(1.4);
  });

  it('refuses what an account sends while very much of it waits, and forgets whoever has hung up', async () => {
    const entrance = new Entrance();
    let gone = false;
    const first = entrance.enter('a', 8_000 * KIB, here);
    const waits = Array.from({ length: 8 }, () => entrance.enter('a', 8_000 * KIB, () => gone));
    const refused = waits.map((wait) =>
      expect(wait).rejects.toMatchObject({ code: 'invalid_request' }),
    );
    expect(() => entrance.enter('a', 8_000 * KIB, here)).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    );
    gone = true;
    (await first)();
    await Promise.all(refused);
    expect(await entrance.enter('a', 8_000 * KIB, here)).toBeTypeOf('function');
  });
});
