import { UpstreamPresence } from '../../../src/server/uplink/presence.ts';
import type { UserId } from '../../../src/shared/contract/ids.ts';
import { ofOwnAccount } from '../../support/own-account.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHostedClient } from '../../../src/server/uplink/client.ts';
import { SyncEngine } from '../../../src/server/uplink/engine.ts';
import { watchForSleep } from '../../../src/server/uplink/sleep.ts';
import { statusOf } from '../../../src/server/uplink/status.ts';
import type { Role } from '../../../src/shared/contract/v1/account.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { testHasher } from '../../support/hasher.ts';
import type { Studio } from './world.ts';
import type { StoredUplink } from '../../../src/server/storage/replication/uplink.ts';
import { asProject } from '../../support/ids.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A cycle over sockets is done long before. */
const PATIENCE_MS = 60_000;

/** The studio's program: its version, and when it starts. */
export interface Program {
  version: string;
  now: number;
}

/** Whether a request to this path may carry changes. */
export const mayPush = (path: string): boolean => /\/(?:push|batch)$/.test(path);

/** A stream of hints that says something only when a test says so. */
interface Stream {
  say(text: string): void;
  ended: boolean;
}

/** The exchange of one studio's store with a hosted server over sockets, in invented time. */
export class Exchange implements AsyncDisposable {
  /** What has passed; the wall clock shows `ahead` more. */
  now: number;
  ahead = 0;
  address = 'home';
  #timers = new Map<number, { at: number; callback: () => void }>();
  #timer = 0;
  readonly asked: string[] = [];
  readonly streams: Stream[] = [];
  /** What is answered in place of the hosted server. */
  instead: (path: string, url: string, init?: RequestInit) => Promise<Response> | undefined = () =>
    undefined;
  /** Whether a stream of hints can be opened. */
  openable = true;
  readonly studio: Studio;
  readonly engine: SyncEngine;
  readonly #stored: StoredUplink;
  readonly #stopWatching: () => void;

  private constructor(
    studio: Studio,
    hosted: Studio,
    key: { key: string; user_id: UserId },
    url: string,
    { version, now }: Program,
  ) {
    this.studio = studio;
    this.now = now;
    const { store } = studio.composed;
    const timers = {
      now: () => this.now + this.ahead,
      elapsed: () => this.now,
      random: () => 0.5,
      after: (ms: number, callback: () => void) => {
        const id = (this.#timer += 1);
        this.#timers.set(id, { at: this.now + ms, callback });
        return () => void this.#timers.delete(id);
      },
    };
    const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const { href, pathname } = new URL(input instanceof Request ? input.url : input);
      const path = pathname.replace('/api/v1/', '');
      this.asked.push(path);
      return this.instead(path, href, init) ?? globalThis.fetch(input, init);
    };
    const client = createHostedClient(
      { origin: url, key: key.key, gzip: true },
      { fetch, traffic: { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 } },
    );
    this.#stored = {
      url,
      store: hosted.composed.store.storeId,
      epoch: hosted.composed.store.epoch,
      user_id: key.user_id,
      user_name: 'Ada',
      role: 'member',
      connected_at: new Date(this.now).toISOString(),
      sealed_key: null,
      key_kept: 'memory',
      connected: true,
    };
    this.engine = new SyncEngine({
      store,
      hasher: testHasher,
      timers,
      boot: `boot ${version}`,
      version,
      presence: new UpstreamPresence(),
      client: {
        ...client,
        events: (signal) =>
          this.openable
            ? Promise.resolve(this.#stream(signal))
            : Promise.reject(new TypeError('no stream')),
      },
      hostedStore: hosted.composed.store.storeId,
      mayStandFor: new Set([store.local.user_id]),
      failed: () => {},
      unforeseen: (error) => {
        throw error;
      },
      learned: () => {},
    });
    this.#stopWatching = watchForSleep(
      timers,
      () => this.address,
      () => this.engine.wake(),
    );
  }

  /** `url`: of a proxy before the hosted server. */
  static async open(
    studio: Studio,
    hosted: Studio,
    project: string,
    url = hosted.server.url,
    role: Role = 'member',
    program: Program = { version: '0.0.1', now: Date.parse('2026-03-01T08:00:00.000Z') },
  ): Promise<Exchange> {
    const { store } = studio.composed;
    const { account_id } = store.local;
    await store.transact(
      (writer) => writer.uplinkWrites.share(account_id, asProject(project), true),
      account_id,
    );
    return new Exchange(studio, hosted, await hosted.makeKey('Ada', role), url, program);
  }

  #stream(signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      start: (controller) => {
        const stream: Stream = {
          say: (text) => {
            if (!stream.ended) controller.enqueue(new TextEncoder().encode(text));
          },
          ended: false,
        };
        this.streams.push(stream);
        signal.addEventListener('abort', () => {
          stream.ended = true;
          controller.error(signal.reason);
        });
      },
    });
  }

  /** The loop rests: its next cycle has a time. */
  async rests(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (this.engine.isBusy || this.engine.nextAt === null) {
      if (performance.now() > end) throw new Error('The exchange does not come to rest.');
      await sleep(1);
    }
  }
  /**
   * Lets time pass; what becomes due begins in its order, and comes to rest before the next.
   * `talking`: the server's sign of life each 25 s.
   */
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
  /** The computer sleeps: time passes, and no timer fires. */
  sleep(ms: number): void {
    this.now += ms;
  }

  status(): Promise<UplinkStatus> {
    return statusOf(ofOwnAccount(this.studio.composed.store), {
      uplink: this.#stored,
      engine: this.engine,
      problem: null,
    });
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
