import Dexie, { type Table } from 'dexie';
import { z } from 'zod';
import type { StoreEngine } from '../store/db.ts';
import { KEY_BYTES } from '../encryption/cipher.ts';

const NAME = 'evidence-studio-keys';
const IV_BYTES = 12;
/**
 * A clock that was set back by more than this opens nothing: by less, it may have been corrected.
 */
const SET_BACK_MS = 120_000;

type Bytes = Uint8Array<ArrayBuffer>;
const Binary = z.custom<Bytes>((value) => value instanceof Uint8Array);

/** A key under another key. */
const Wrapped = z.strictObject({ iv: Binary, bytes: Binary });
type Wrapped = z.infer<typeof Wrapped>;

/**
 * Kept in each copy: its key, wrapped by the secret that the server tells this person for this
 * browser name.
 */
export const KeyRecord = z.strictObject({ browser: z.string(), wrapped: Wrapped });
export type KeyRecord = z.infer<typeof KeyRecord>;

/** What opens one copy without the server, until a time. */
const Offline = z.strictObject({
  name: z.literal('offline'),
  database: z.string(),
  key: z.custom<CryptoKey>((value) => value instanceof CryptoKey),
  wrapped: Wrapped,
  record: KeyRecord,
  until: z.number(),
  /** The latest time seen, so that a clock that is set back gives no more of it. */
  seen: z.number(),
});
export type Offline = z.infer<typeof Offline>;
const Browser = z.strictObject({ name: z.literal('browser'), id: z.string() });
/**
 * Somebody, by a hash, signed out while the server was away: the session is still to be ended
 * there.
 */
const Leaving = z.strictObject({ name: z.literal('leaving'), person: z.string() });

/** The key of a copy, and whose it is. */
export interface Unwrapped {
  key: Uint8Array;
  person: string;
}

/**
 * The few records by which this browser opens its copies. None of them opens one after its time, or
 * after its person has signed out.
 */
export class CopyKeys {
  readonly #db: Dexie;
  readonly #subtle: SubtleCrypto;
  readonly #random: (length: number) => Uint8Array;

  constructor(engine: StoreEngine, subtle: SubtleCrypto, random: (length: number) => Uint8Array) {
    this.#db = new Dexie(NAME, {
      indexedDB: engine.factory,
      IDBKeyRange: engine.keyRange,
      chromeTransactionDurability: 'strict',
      cache: 'disabled',
    });
    this.#db.version(1).stores({ keys: 'name' });
    this.#subtle = subtle;
    this.#random = random;
  }
  get #keys(): Table<unknown, string> {
    return this.#db.table<unknown, string>('keys');
  }
  #bytes(length: number): Bytes {
    return new Uint8Array(this.#random(length));
  }
  /** The random name of this browser, by which the server derives secrets for it. */
  browser(): Promise<string> {
    return this.#db.transaction('rw', this.#keys, async () => {
      const known = Browser.safeParse(await this.#keys.get('browser')).data;
      if (known !== undefined) return known.id;
      const id = Array.from(this.#random(16), (byte) => byte.toString(16).padStart(2, '0')).join(
        '',
      );
      await this.#keys.put({ name: 'browser', id });
      return id;
    });
  }

  async leaving(): Promise<string | undefined> {
    return Leaving.safeParse(await this.#keys.get('leaving')).data?.person;
  }
  async setLeaving(person: string | null): Promise<void> {
    if (person === null) await this.#keys.delete('leaving');
    else await this.#keys.put({ name: 'leaving', person });
  }

  async offline(): Promise<Offline | undefined> {
    return Offline.safeParse(await this.#keys.get('offline')).data;
  }
  async dropOffline(): Promise<void> {
    await this.#keys.delete('offline');
  }
  /** Lets this copy, and no other, be opened without the server until then. */
  async allowOffline(
    { database, record, content }: { database: string; record: KeyRecord; content: Unwrapped },
    until: number,
    now: number,
  ): Promise<void> {
    const known = await this.offline();
    const opens =
      known?.database === database ? await this.#unwrap(known.key, known.wrapped) : undefined;
    const isSame =
      known !== undefined &&
      opens?.person === content.person &&
      opens.key.every((byte, place) => byte === content.key[place]);
    const key = isSame
      ? known.key
      : await this.#subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
          'encrypt',
          'decrypt',
        ]);
    const wrapped = isSame ? known.wrapped : await this.#wrap(key, content);
    await this.#keys.put({
      name: 'offline',
      database,
      key,
      wrapped,
      record,
      until,
      seen: now,
    } satisfies Offline);
  }
  /**
   * Notes the time; false where the copy's time without the server is over, and then nothing opens
   * it any more but a sign-in.
   */
  async isAllowed(now: number): Promise<boolean> {
    const offline = await this.offline();
    if (offline === undefined) return false;
    const { until, seen } = offline;
    if (now >= until || now < seen - SET_BACK_MS) {
      await this.dropOffline();
      return false;
    }
    if (now > seen)
      await this.#db.transaction('rw', this.#keys, async () => {
        const stored = await this.offline();
        if (stored !== undefined)
          await this.#keys.put({ ...stored, seen: Math.max(stored.seen, now) });
      });
    return true;
  }
  openOffline({ key, wrapped }: Offline): Promise<Unwrapped | undefined> {
    return this.#unwrap(key, wrapped);
  }

  async record(secret: string, browser: string, content: Unwrapped): Promise<KeyRecord> {
    return { browser, wrapped: await this.#wrap(await this.#keyOf(secret), content) };
  }
  /** Undefined where the secret is not the one that the record was made by. */
  async openRecord(secret: string, { wrapped }: KeyRecord): Promise<Unwrapped | undefined> {
    return this.#unwrap(await this.#keyOf(secret), wrapped);
  }

  #keyOf(secret: string): Promise<CryptoKey> {
    const raw = Uint8Array.from(atob(secret.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    return this.#subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
  }
  async #wrap(by: CryptoKey, { key, person }: Unwrapped): Promise<Wrapped> {
    const iv = this.#bytes(IV_BYTES);
    const name = new TextEncoder().encode(person);
    const content = new Uint8Array(KEY_BYTES + name.length);
    content.set(key);
    content.set(name, KEY_BYTES);
    return {
      iv,
      bytes: new Uint8Array(await this.#subtle.encrypt({ name: 'AES-GCM', iv }, by, content)),
    };
  }
  async #unwrap(by: CryptoKey, { iv, bytes }: Wrapped): Promise<Unwrapped | undefined> {
    try {
      const content = new Uint8Array(
        await this.#subtle.decrypt({ name: 'AES-GCM', iv }, by, bytes),
      );
      return {
        key: content.slice(0, KEY_BYTES),
        person: new TextDecoder().decode(content.subarray(KEY_BYTES)),
      };
    } catch {
      return undefined;
    }
  }
}
