import { IDBFactory, IDBKeyRange, IDBObjectStore as FDBObjectStore } from 'fake-indexeddb';
import { createRowCipher } from '../../../../src/renderer/data/encryption/cipher.ts';
import { createDataLayer, type DataLayer } from '../../../../src/renderer/data/data-layer.ts';
import type { EventSourceLike } from '../../../../src/renderer/data/api/events.ts';
import type { LocksLike } from '../../../../src/renderer/data/replica/leader-election.ts';
import type { ChannelLike } from '../../../../src/renderer/data/replica/window-channel.ts';
import type { MatrixSession } from '../../../../src/renderer/data/store/port.ts';
import type { ProfileDocument } from '../../../../src/shared/domain/profile.ts';
import { testHasher } from '../../../support/hasher.ts';
import { Upstream } from './upstream.ts';
import { asProfile, asCase } from '../../../support/ids.ts';

globalThis.IDBKeyRange = IDBKeyRange;

export const START = Date.parse('2026-02-03T04:05:06.000Z');

export function profileOf(rules: number): ProfileDocument {
  return {
    name: 'Test profile',
    profileUid: asProfile('test_profile'),
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'd',
    scope: 's',
    maintainer: 'm',
    rules: Array.from({ length: rules }, (_, at) => ({
      ruleOrder: at + 1,
      ruleUid: `rule_${String(at).padStart(3, '0')}`,
      name: 'n',
      description: 'd',
      evidenceMeaning: 'e',
      problemMeaning: 'p',
      notAvailableMeaning: 'n',
    })),
  };
}

/**
 * A computer with one browser store: several windows, one clock, one server. Timers fire when
 * `pass` says so.
 */
export class Computer {
  /** What has passed since `START`; the wall clock shows `ahead` more. */
  time = START;
  ahead = 0;
  factory = new IDBFactory();
  readonly upstream: Upstream;
  /** Of other cases than the first, by their uids. */
  readonly #more = new Map<string, Upstream>();
  /** Its copies are encrypted. EVIDENCE_TEST_ENCRYPTED=1: those of all tests. */
  isEncrypted = process.env['EVIDENCE_TEST_ENCRYPTED'] === '1';
  #timers = new Map<number, { at: number; callback: () => void }>();
  #timer = 0;
  #held = new Map<string, (() => void)[]>();
  #channels = new Set<{ name: string; channel: ChannelLike }>();
  #bytes = 1;
  #layers: DataLayer[] = [];

  constructor(rules = 4, items: readonly string[] = ['a', 'b', 'c']) {
    this.upstream = new Upstream('case-1', profileOf(rules), () => this.time + this.ahead);
    if (items.length > 0) this.upstream.addItems(items);
  }

  /** Another case on the same server. */
  addCase(uid: string): Upstream {
    const { profile, now } = this.upstream;
    const upstream = new Upstream(uid, profile, now);
    upstream.addItems(['a', 'b', 'c']);
    this.#more.set(uid, upstream);
    return upstream;
  }
  readonly #fetch: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : String(input);
    const uid = /\/cases\/([^/?]+)/.exec(path)?.[1] ?? '';
    return (this.#more.get(uid) ?? this.upstream).fetch(input, init);
  };

  async layer(options: { shared?: boolean; hints?: boolean } = {}): Promise<DataLayer> {
    const layer = await createDataLayer({
      fetch: this.#fetch,
      now: () => this.time + this.ahead,
      elapsed: () => this.time,
      hasher: testHasher,
      indexedDB: this.factory,
      version: 'test',
      randomBytes: (length) =>
        Uint8Array.from(
          { length },
          () => (this.#bytes = (this.#bytes * 1_103_515_245 + 12_345) % 2_147_483_648) >> 16,
        ),
      after: (ms, callback) => {
        const id = (this.#timer += 1);
        this.#timers.set(id, { at: this.time + ms, callback });
        return () => void this.#timers.delete(id);
      },
      ...(this.isEncrypted && {
        encryption: {
          cipher: createRowCipher(new Uint8Array(32), (length) =>
            crypto.getRandomValues(new Uint8Array(length)),
          ),
          record: null,
        },
      }),
      ...(options.hints === true ? { eventSource: () => this.#source() } : {}),
      ...(options.shared === true
        ? { locks: this.#locks(), broadcast: (name: string) => this.#channel(name) }
        : {}),
    });
    this.#layers.push(layer);
    return layer;
  }
  async open(
    options: { shared?: boolean; hints?: boolean } = {},
  ): Promise<{ layer: DataLayer; session: MatrixSession }> {
    const layer = await this.layer(options);
    const session = await layer.openMatrix({
      caseUid: asCase('case-1'),
      profileUid: asProfile('test_profile'),
      profileVersion: '1.0',
    });
    return { layer, session };
  }

  /** Lets time pass: due timers fire, and what they start comes to rest. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    await rest();
    for (;;) {
      const due = [...this.#timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.time = Math.max(this.time, due[1].at);
      this.#timers.delete(due[0]);
      due[1].callback();
      await rest();
    }
    this.time = end;
    await rest();
  }
  /** The loop has nothing left to do. */
  async synced(session: MatrixSession): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      await this.pass(2_500);
      if (session.saveStatus.waiting === 0 && session.saveStatus.connection === 'online') return;
    }
    throw new Error(`Not in step: ${JSON.stringify(session.saveStatus)}`);
  }
  /** The server's hint that the log has grown; null: the stream breaks for good. */
  hint(seq: number | null): void {
    for (const source of this.#sources) {
      if (seq !== null)
        source.onmessage?.({ data: JSON.stringify({ case: 'case-1', seq }) } as MessageEvent);
      else {
        Object.assign(source, { readyState: 2 });
        source.onerror?.(new Event('error'));
      }
    }
    if (seq === null) this.#sources = [];
  }
  #sources: EventSourceLike[] = [];
  #source(): EventSourceLike {
    const source: EventSourceLike = {
      onopen: null,
      onmessage: null,
      onerror: null,
      readyState: 1,
      close: () => undefined,
    };
    this.#sources.push(source);
    queueMicrotask(() => source.onopen?.(new Event('open')));
    return source;
  }
  end(): void {
    for (const layer of this.#layers) layer.close();
  }

  #locks(): LocksLike {
    return {
      request: async (name, { ifAvailable, signal }, callback) => {
        const queue = this.#held.get(name);
        if (queue !== undefined) {
          if (ifAvailable === true) return callback(null);
          await new Promise<void>((resolve, reject) => {
            queue.push(resolve);
            signal?.addEventListener('abort', () => {
              const place = queue.indexOf(resolve);
              if (place >= 0) queue.splice(place, 1);
              reject(new Error('aborted'));
            });
          });
        } else this.#held.set(name, []);
        try {
          await callback({});
        } finally {
          const next = this.#held.get(name)?.shift();
          if (next === undefined) this.#held.delete(name);
          else next();
        }
      },
    };
  }
  #channel(name: string): ChannelLike {
    const entry = {
      name,
      channel: {
        onmessage: null,
        postMessage: (message: unknown) => {
          for (const other of this.#channels)
            if (other !== entry && other.name === name)
              queueMicrotask(() => other.channel.onmessage?.({ data: message } as MessageEvent));
        },
        close: () => void this.#channels.delete(entry),
      } as ChannelLike,
    };
    this.#channels.add(entry);
    return entry.channel;
  }
}

/** Quiet ones in a row, since a message of a channel comes in the next turn; and at most. */
const QUIET_TURNS = 5;
const MOST_TURNS = 60;

/**
 * Waits until Dexie, promises and channels have nothing more to run: fake-indexeddb works through
 * setImmediate.
 */
export async function rest(): Promise<void> {
  for (let turn = 0, quiet = 0; turn < MOST_TURNS && quiet < QUIET_TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    quiet = process.getActiveResourcesInfo().includes('Immediate') ? 0 : quiet + 1;
  }
}

/** Lets the disk, promises and channels go so many steps further. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Stores nothing from now on, until what it returns is called. */
export function fillDevice(): () => void {
  const { put, add } = FDBObjectStore.prototype;
  const full = (): never => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  Object.assign(FDBObjectStore.prototype, { put: full, add: full });
  return () => void Object.assign(FDBObjectStore.prototype, { put, add });
}

export const at = (item: string, rule: number): { item: string; rule: string } => ({
  item,
  rule: `rule_${String(rule).padStart(3, '0')}`,
});

/** Counts by a full recount, to hold the kept ones against. */
export function recount(session: MatrixSession): {
  rows: number[][];
  columns: number[][];
  totals: number[];
} {
  const codes = ['FALSE', 'TRUE', 'NA', null];
  const rows = session.items.map(() => [0, 0, 0, 0]);
  const columns = session.rules.map(() => [0, 0, 0, 0]);
  const totals = [0, 0, 0, 0];
  session.items.forEach((_, row) =>
    session.rules.forEach((_rule, column) => {
      const code = codes.indexOf(session.state(row, column));
      for (const counts of [rows[row], columns[column], totals])
        if (counts !== undefined) counts[code] = (counts[code] ?? 0) + 1;
    }),
  );
  return { rows, columns, totals };
}
