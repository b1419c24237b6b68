import type { CallResult } from '../../../shared/contract/call.ts';
import type { CopyKey } from '../../../shared/contract/v1/account.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { DATABASE_NAME, type StoreEngine } from '../store/db.ts';
import { CopyKeys, type KeyRecord, type Unwrapped } from './copy-keys.ts';
import { createRowCipher, KEY_BYTES } from '../encryption/cipher.ts';
import {
  endPlainCopy,
  makeCopy,
  plainUnsent,
  recordOf,
  removeCopy,
  sweepWindowCopies,
  unsentIn,
  WINDOW_COPY,
} from './stored-copies.ts';

/**
 * Why nothing can be opened. `unreadable`: the server has another secret than the copy was
 * encrypted under.
 */
export type Closed = 'signed_out' | 'other_person' | 'away' | 'over' | 'unreadable' | 'signing_out';

export interface OpenCopy {
  kind: 'open';
  database: string;
  encryption: NonNullable<StoreEngine['encryption']>;
  person: string;
  /** False: its key is in this window's memory alone, and ends with it. */
  isKept: boolean;
}
export type Opening =
  | OpenCopy
  | { kind: 'closed'; why: Closed; unsent: number; database: string | null };

export interface CopiesPorts {
  factory: IDBFactory;
  keyRange: typeof IDBKeyRange;
  subtle: SubtleCrypto;
  locks: Pick<LockManager, 'request' | 'query'>;
  randomBytes(length: number): Uint8Array;
  now(): number;
  /** Milliseconds since some moment, whatever the clock is set to. */
  elapsed(): number;
  hasher: Hasher;
  /** Asks the server for the secret that opens the copy of the signed-in person. */
  ask(browser: string): Promise<CallResult<CopyKey>>;
  /** Ends the session at the server; rejects where that cannot be asked. */
  endSession(): Promise<void>;
}

const lockOf = (database: string): string => `evidence-studio-copy/${database}`;
/**
 * How long an open window stays open at least while the server is away, even where copies may not
 * be opened offline. Milliseconds.
 */
const OPEN_MS = 3_600_000;
/** How long the other windows of this browser may take to close their copies. Milliseconds. */
const PUT_AWAY_MS = 15_000;

/**
 * The copies that a browser keeps of what its people see on a hosted server. Each person has one,
 * encrypted by a key that only a sign-in of that person opens: by a secret from the server or, for
 * a limited time, by a non-extractable key of this browser.
 */
export class Copies {
  readonly #ports: CopiesPorts;
  readonly #engine: StoreEngine;
  readonly #keys: CopyKeys;
  readonly #began: { at: number; elapsed: number };
  #release: (() => void) | null = null;
  /** Until when the open window shows its copy without having reached the server. */
  #until = 0;
  #kept: { database: string; record: KeyRecord; content: Unwrapped } | null = null;

  constructor(ports: CopiesPorts) {
    this.#ports = ports;
    this.#began = { at: ports.now(), elapsed: ports.elapsed() };
    this.#engine = { factory: ports.factory, keyRange: ports.keyRange };
    this.#keys = new CopyKeys(this.#engine, ports.subtle, ports.randomBytes);
  }

  #nameOf(person: string): string {
    return `${DATABASE_NAME}-${this.#ports.hasher.sha256Hex(`copy of ${person}`).slice(0, 32)}`;
  }
  #encryptionBy(
    { key }: Pick<Unwrapped, 'key'>,
    record: unknown,
  ): NonNullable<StoreEngine['encryption']> {
    return { cipher: createRowCipher(key, this.#ports.randomBytes), record };
  }
  #closed(why: Closed, unsent = 0, database: string | null = null): Opening {
    this.#release?.();
    return { kind: 'closed', why, unsent, database };
  }

  /**
   * Opens the copy of who is signed in; while the server is away, the copy last opened, for as long
   * as the server lets it.
   */
  async open(): Promise<Opening> {
    const answer = await this.#ports.ask(await this.#keys.browser());
    if (answer.kind === 'ok') return (await this.#left(answer.body)) ?? this.#openFor(answer.body);
    if (answer.kind === 'refused' && answer.status === 401) {
      await this.#keys.dropOffline();
      await this.#keys.setLeaving(null);
      return this.#closed('signed_out');
    }
    return this.#openAway();
  }

  /**
   * Ends the session of a person who signed out while the server was away, unless somebody else has
   * signed in since.
   */
  async #left({ user_id }: CopyKey): Promise<Opening | undefined> {
    const leaving = await this.#keys.leaving();
    if (leaving === undefined) return undefined;
    const isSame = leaving === this.#nameOf(user_id);
    if (
      isSame &&
      !(await this.#ports.endSession().then(
        () => true,
        () => false,
      ))
    )
      return this.#closed('away');
    await this.#keys.setLeaving(null);
    return isSame ? this.#closed('signed_out') : undefined;
  }

  async #openFor(answer: CopyKey): Promise<Opening> {
    const database = this.#nameOf(answer.user_id);
    // From here on another window that signs out waits for this one. If one was signing out
    // already, the session has ended.
    if (!(await this.#holdNow(database))) {
      await this.#hold(database);
      this.#release?.();
      return this.open();
    }
    // One window after another, so that all of them have the same key.
    return this.#ports.locks.request(`${lockOf(database)}/opening`, () =>
      this.#openOrMake(answer, database),
    );
  }

  async #openOrMake(answer: CopyKey, database: string): Promise<Opening> {
    const { user_id: person, secret, keep } = answer;
    const engine = this.#engine;
    const held = ((await this.#ports.locks.query()).held ?? []).map(({ name }) => name);
    const isShared = held.filter((name) => name === lockOf(database)).length > 1;
    await sweepWindowCopies(engine, (name) => held.includes(lockOf(name)));
    if (secret === null) return this.#openWindow(person);
    const found = await recordOf(database, engine);
    const unsent = found === undefined ? 0 : (await unsentIn(database, engine)).length;
    const opened =
      found === undefined || found === null ? undefined : await this.#openRecord(found, answer);
    if (opened === 'away') return this.#closed('away');
    if (found !== undefined && opened === undefined) {
      // Without unsent changes the copy holds nothing that the server does not have.
      if (unsent > 0 || isShared) return this.#closed('unreadable', unsent, database);
      await removeCopy(database, engine);
    }
    // Even where no copies may be kept, unsent changes and plain copies of earlier versions are
    // encrypted until they are sent.
    if (!keep && !isShared && unsent + (await plainUnsent(engine, person)) === 0) {
      await removeCopy(database, engine);
      await endPlainCopy(engine, person, undefined);
      return this.#openWindow(person);
    }
    const content = opened ?? { key: this.#ports.randomBytes(KEY_BYTES), person };
    const record =
      opened === undefined || found === undefined || found === null
        ? await this.#keys.record(secret, await this.#keys.browser(), content)
        : found;
    const encryption = this.#encryptionBy(content, record);
    const encrypted = { ...engine, encryption };
    if (opened === undefined) await makeCopy(database, encrypted);
    await endPlainCopy(engine, person, { name: database, engine: encrypted });
    this.#kept = { database, record, content };
    await this.#renewOffline(answer);
    return { kind: 'open', database, encryption, person, isKept: true };
  }

  /** A copy may have been encrypted under an earlier name of this browser. */
  async #openRecord(
    record: KeyRecord,
    { secret }: CopyKey,
  ): Promise<Unwrapped | 'away' | undefined> {
    if (record.browser === (await this.#keys.browser()))
      return this.#keys.openRecord(secret ?? '', record);
    const answer = await this.#ports.ask(record.browser);
    return answer.kind === 'ok' && answer.body.secret !== null
      ? this.#keys.openRecord(answer.body.secret, record)
      : 'away';
  }

  async #renewOffline({ keep, offline_seconds }: CopyKey): Promise<void> {
    if (this.#kept === null) return;
    const now = this.#now();
    this.#until = now + Math.max(OPEN_MS, offline_seconds * 1_000);
    if (!keep || offline_seconds === 0) await this.#keys.dropOffline();
    else await this.#keys.allowOffline(this.#kept, now + offline_seconds * 1_000, now);
  }

  async #openWindow(person: string): Promise<Opening> {
    await this.#keys.dropOffline();
    this.#release?.();
    const database =
      WINDOW_COPY +
      Array.from(this.#ports.randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join(
        '',
      );
    await this.#hold(database);
    return {
      kind: 'open',
      database,
      encryption: this.#encryptionBy({ key: this.#ports.randomBytes(KEY_BYTES) }, null),
      person,
      isKept: false,
    };
  }

  async #openAway(): Promise<Opening> {
    if ((await this.#keys.leaving()) !== undefined) return this.#closed('away');
    const wasAllowed = (await this.#keys.offline()) !== undefined;
    if (!(await this.#keys.isAllowed(this.#now())))
      return this.#closed(wasAllowed ? 'over' : 'away');
    const offline = await this.#keys.offline();
    const content = offline && (await this.#keys.openOffline(offline));
    if (offline === undefined || content === undefined) return this.#closed('away');
    const { database, record } = offline;
    await this.#hold(database);
    this.#kept = { database, record, content };
    this.#until = offline.until;
    return {
      kind: 'open',
      database,
      encryption: this.#encryptionBy(content, record),
      person: content.person,
      isKept: true,
    };
  }

  /** Asks whether the copy may stay open, and for how long without the server; answers why not. */
  async check({ person, isKept }: OpenCopy): Promise<Closed | undefined> {
    const answer = await this.#ports.ask(await this.#keys.browser());
    if (answer.kind === 'refused' && answer.status === 401) return 'signed_out';
    if (answer.kind !== 'ok') {
      await this.#keys.isAllowed(this.#now());
      return isKept && this.#now() >= this.#until ? 'over' : undefined;
    }
    if (answer.body.user_id !== person) return 'other_person';
    await this.#renewOffline(answer.body);
    return undefined;
  }

  /** Called after the store is closed: from here on only a sign-in opens the copy. */
  async putAway({ database }: OpenCopy, why: Closed): Promise<void> {
    this.#kept = null;
    const isOurs = (await this.#keys.offline())?.database === database;
    if (isOurs && why !== 'signing_out') await this.#keys.dropOffline();
    this.#release?.();
  }

  /**
   * Destroys the copy and its keys, and ends the session. The caller has closed the store, and
   * other windows of this browser were asked to. Nothing is done while an unsent change is there
   * that is not among `saved`, or while another window has not put its work away.
   */
  async signOut(
    { database, person }: OpenCopy,
    saved: ReadonlySet<string>,
  ): Promise<'done' | 'unsent' | 'busy'> {
    this.#release?.();
    const alone = new AbortController();
    const timer = setTimeout(() => alone.abort(), PUT_AWAY_MS);
    try {
      return await this.#ports.locks.request(
        lockOf(database),
        { signal: alone.signal },
        async () => {
          clearTimeout(timer);
          if ((await unsentIn(database, this.#engine)).some((id) => !saved.has(id)))
            return 'unsent';
          this.#kept = null;
          await this.#keys.dropOffline();
          await this.#keys.setLeaving(this.#nameOf(person));
          await removeCopy(database, this.#engine);
          // If the server is away, the session is ended at the next start that reaches it.
          await this.#ports.endSession().then(
            () => this.#keys.setLeaving(null),
            () => undefined,
          );
          return 'done';
        },
      );
    } catch (error) {
      if (alone.signal.aborted) return 'busy';
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives up a copy that cannot be read, with what is unsent in it. */
  giveUp(database: string): Promise<void> {
    return removeCopy(database, this.#engine);
  }

  /** The time; it does not go back when the clock is set back while the window is open. */
  #now(): number {
    const { at, elapsed } = this.#began;
    return Math.max(this.#ports.now(), at + this.#ports.elapsed() - elapsed);
  }

  #hold(database: string): Promise<void> {
    return new Promise((held, failed) => {
      this.#ports.locks
        .request(lockOf(database), { mode: 'shared' }, () => this.#holding(held))
        .catch(failed);
    });
  }
  /** False while another window is signing out. */
  #holdNow(database: string): Promise<boolean> {
    return new Promise((held, failed) => {
      this.#ports.locks
        .request(lockOf(database), { mode: 'shared', ifAvailable: true }, async (lock) => {
          if (lock === null) held(false);
          else await this.#holding(() => held(true));
        })
        .catch(failed);
    });
  }
  #holding(held: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      held();
    });
  }
}
