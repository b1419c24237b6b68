import { expect, test } from 'vitest';
import { createHostedClient } from '../../../src/server/uplink/client.ts';
import { Engine } from '../../../src/server/uplink/engine.ts';
import { watchForSleep } from '../../../src/server/uplink/sleep.ts';
import { statusOf } from '../../../src/server/uplink/status.ts';
import type { StoredUplink } from '../../../src/server/storage/port.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { testHasher } from '../../support/hasher.ts';
import { eventually, RULE, Studio } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A stream of hints that says something only when it is told to. */
interface Stream { say(text: string): void; ended: boolean }

/** The exchange of one studio's store with a hosted server over sockets, in invented time. */
class Exchange implements AsyncDisposable {
  now = Date.parse('2026-03-01T08:00:00.000Z');
  address = 'home';
  #timers = new Map<number, { at: number; callback: () => void }>();
  #timer = 0;
  readonly asked: string[] = [];
  readonly streams: Stream[] = [];
  readonly studio: Studio;
  readonly engine: Engine;
  readonly #stored: StoredUplink;
  readonly #stopWatching: () => void;

  private constructor(studio: Studio, hosted: Studio, key: { key: string; user_id: string }) {
    this.studio = studio;
    const { store } = studio.composed;
    const timers = {
      now: () => this.now, random: () => 0.5,
      after: (ms: number, callback: () => void) => {
        const id = (this.#timer += 1);
        this.#timers.set(id, { at: this.now + ms, callback });
        return () => void this.#timers.delete(id);
      },
    };
    const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      this.asked.push(new URL(input instanceof Request ? input.url : input).pathname.replace('/api/v1/', ''));
      return globalThis.fetch(input, init);
    };
    const client = createHostedClient({ origin: hosted.server.url, key: key.key, gzip: true }, { fetch, traffic: { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 } });
    this.#stored = {
      url: hosted.server.url, store: hosted.composed.store.storeId, epoch: hosted.composed.store.epoch, user_id: key.user_id, user_name: 'Ada', role: 'member',
      connected_at: new Date(this.now).toISOString(), sealed_key: null, key_kept: 'memory', connected: true,
    };
    this.engine = new Engine({
      store, hasher: testHasher, timers, boot: 'boot', client: { ...client, events: (signal) => Promise.resolve(this.#stream(signal)) }, hostedStore: hosted.composed.store.storeId,
      mayStandFor: new Set([store.local.user_id]), failed: () => {}, unforeseen: (error) => { throw error; }, learned: () => {},
    });
    this.#stopWatching = watchForSleep(timers, () => this.address, () => this.engine.wake());
  }

  static async open(studio: Studio, hosted: Studio, project: string): Promise<Exchange> {
    const { store } = studio.composed;
    await store.transact((writer) => writer.uplinkWrites.share(store.local.account_id, project, true));
    return new Exchange(studio, hosted, await hosted.makeKey('Ada', 'member'));
  }

  #stream(signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      start: (controller) => {
        const stream: Stream = { say: (text) => controller.enqueue(new TextEncoder().encode(text)), ended: false };
        this.streams.push(stream);
        signal.addEventListener('abort', () => {
          stream.ended = true;
          controller.error(signal.reason);
        });
      },
    });
  }

  /** The loop rests: its next turn has a time. */
  rests(): Promise<void> {
    return eventually(() => expect([this.engine.isBusy, this.engine.nextAt === null]).toEqual([false, false]));
  }
  /** Lets time pass; what becomes due begins in its order, and comes to rest before the next. `talking`: the server's sign of life each 25 s. */
  async pass(ms: number, talking = true): Promise<void> {
    const end = this.now + ms;
    let spoken = this.now;
    for (;;) {
      await this.rests();
      const [first] = [...this.#timers].sort((a, b) => a[1].at - b[1].at);
      const next = Math.min(first?.[1].at ?? Infinity, talking ? spoken + 25_000 : Infinity);
      if (next > end) break;
      this.now = Math.max(this.now, next);
      if (talking && next === spoken + 25_000) {
        spoken = next;
        this.streams.at(-1)?.say(': alive\n\n');
        await new Promise((resolve) => setImmediate(resolve));
      } else if (first !== undefined) {
        this.#timers.delete(first[0]);
        first[1].callback();
      }
    }
    this.now = end;
  }
  /** The computer sleeps: time goes on, and no timer fires. */
  sleep(ms: number): void {
    this.now += ms;
  }

  status(): Promise<UplinkStatus> {
    return statusOf(this.studio.composed.store, { uplink: this.#stored, engine: this.engine, problem: null });
  }
  async verifiedAt(stream: string): Promise<string | undefined> {
    const link = (await this.status()).links.find((one) => one.stream === stream);
    return link?.state === 'equal' ? (link.verified_at ?? undefined) : undefined;
  }
  iso(ms = 0): string {
    return new Date(this.now + ms).toISOString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    await this.engine.close();
  }
}

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

test('a stream of hints that says nothing is opened anew after a minute, and the poll has found meanwhile what it kept to itself', async () => {
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
  for (const text of ['data: {"case":', '\n\ndata: 7\n\n', 'data: {"case":"elsewhere","seq":1}\n\n', `data: ${'x'.repeat(10_000)}\n\n`]) exchange.streams.at(-1)!.say(text);
  await exchange.pass(2_000);
  expect((await exchange.status()).problem).toBeNull();
});

test('after a sleep, and on another network, the first tick asks at once and opens the stream of hints anew', async () => {
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
  const stop = watchForSleep({ now: () => now, after: (_, callback) => ((due = callback), () => (due = undefined)) }, () => addresses, () => (woke += 1));
  const tick = (ms: number): void => {
    now += ms;
    due?.();
  };
  for (let turn = 0; turn < 10; turn += 1) tick(15_000);
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
