import type { z } from 'zod';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Session } from '../../shared/contract/v1/account.ts';
import { type Client, createClient } from './client.ts';
import type { Database, Engine, MatrixRow } from './db.ts';
import { type EventSourceLike, Hints } from './events.ts';
import { createLibrary, type Kept, type Library } from './library.ts';
import { createMatrixSession, type Person } from './matrix-session.ts';
import { openDatabase } from './open-database.ts';
import type { OpenMatrix } from './port.ts';
import type { ChannelLike, LocksLike } from './presence.ts';
import { ReplicaClock } from './replica-clock.ts';
import { matrixId, Replica, type ReplicaPorts } from './replica.ts';
import { SCHEMA_VERSION } from '../../sync/change.ts';
import { EMPTY_CHAIN, EMPTY_SUM, LOG_START } from '../../sync/log.ts';
import type { Timers } from '../../sync/loop.ts';

export interface DataLayerOptions {
  fetch: typeof globalThis.fetch;
  now: () => number;
  randomBytes: (length: number) => Uint8Array;
  hasher: Hasher;
  /** Version of the application, written into changes. */
  version?: string;
  indexedDB?: IDBFactory;
  databaseName?: string;
  locks?: LocksLike;
  broadcast?: (name: string) => ChannelLike;
  eventSource?: (url: string) => EventSourceLike;
  /** Calls back later; answers how to call it off. */
  after?: Timers['after'];
}

export interface DataLayer {
  client: Client;
  library: Library;
  openMatrix: OpenMatrix;
  /** Who is signed in and how this studio is run; the kept copy while the server is away. */
  session(): Promise<Kept<z.infer<typeof Session>>>;
  /** Small things of the view that outlive a reload. Opaque to this layer. */
  ui: { get(key: string): Promise<unknown>; set(key: string, value: unknown): Promise<void> };
  /** Not null if the stored copy could not be opened and was made anew. */
  rebuilt: { rescued: number; cause: string } | null;
  /** The network is back, or a person asks: waits of open matrices end. */
  wake(): void;
  close(): void;
}

const LOCAL_CAP_MS = 5_000;
const HOSTED_CAP_MS = 300_000;
const LOCAL_PERSON: Person = { user_id: 'local', name: 'You' };

/** Opens the window's store and everything that works on it. Made once, in the renderer's composition root. */
export async function createDataLayer(options: DataLayerOptions): Promise<DataLayer> {
  const engine: Engine = { factory: options.indexedDB ?? globalThis.indexedDB, keyRange: globalThis.IDBKeyRange };
  const { db, rebuilt } = await openDatabase(engine, options.databaseName);
  const random = (): number => new DataView(options.randomBytes(4).slice().buffer).getUint32(0) / 2 ** 32;
  const after: Timers['after'] = options.after ?? ((ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  });
  const timers: Timers = { now: options.now, random, after };
  const randomHex = (bytes: number): string => Array.from(options.randomBytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const client = createClient(options.fetch);
  const library = createLibrary(client, db, options.now);
  const hints = new Hints(options.eventSource, timers);
  const open = new Set<Replica>();
  let who: Kept<z.infer<typeof Session>> | undefined;

  async function session(): Promise<Kept<z.infer<typeof Session>>> {
    who = await library.session();
    return who;
  }
  const replica = await replicaId(db, randomHex);
  const ports: ReplicaPorts = {
    client, db, timers, hints,
    seal: { hasher: options.hasher, randomHex, replica, version: options.version ?? '0.0.0' },
    clock: await ReplicaClock.from(db, options.now),
    locks: options.locks,
    broadcast: options.broadcast,
    backoffCap: () => (who?.data.home === 'hosted' ? HOSTED_CAP_MS : LOCAL_CAP_MS),
  };

  async function openMatrix(address: Parameters<OpenMatrix>[0]) {
    const known = await db.matrices.get(matrixId(address));
    // A matrix that is here opens without asking anybody; who is signed in is asked beside it.
    const asked = who === undefined ? session().catch(() => undefined) : undefined;
    if (known === undefined || (await db.lists.get('session')) === undefined) await asked;
    const copy = who?.data ?? ((await db.lists.get('session'))?.data as z.infer<typeof Session> | undefined);
    const person = (): Person => who?.data.user ?? copy?.user ?? LOCAL_PERSON;
    const opened = new Replica(known ?? (await freshRow(address)), ports);
    open.add(opened);
    try {
      await opened.start();
    } catch (error) {
      opened.close();
      open.delete(opened);
      throw error;
    }
    opened.closing.addEventListener('abort', () => open.delete(opened));
    return createMatrixSession(opened, person);
  }

  async function freshRow({ caseUid, profileUid, profileVersion }: Parameters<OpenMatrix>[0]): Promise<MatrixRow> {
    const { data: profile } = await library.profile(profileUid, profileVersion);
    return {
      id: matrixId({ caseUid, profileUid, profileVersion }), case_uid: caseUid, profile_uid: profileUid, profile_version: profileVersion, profile,
      rules: profile.rules.toSorted((a, b) => a.ruleOrder - b.ruleOrder).map((rule) => rule.ruleUid),
      gen: 0, boot: '', rev: 0, epoch: '', base_seq: 0, pull_seq: 0, pull_chain: EMPTY_CHAIN, witness: LOG_START, count: 0, sum: EMPTY_SUM, schema: SCHEMA_VERSION, last_ok: null, overlaid: [],
    };
  }

  return {
    client, library, openMatrix, session, rebuilt,
    ui: { get: async (key) => (await db.ui.get(key))?.value, set: async (key, value) => void (await db.ui.put({ key, value })) },
    wake: () => open.forEach((one) => one.nudge('person')),
    close() {
      hints.close();
      const closing = [...open].map(async (one) => {
        one.close();
        await one.writer.settled();
      });
      void Promise.all(closing).then(() => db.close());
    },
  };
}

/** One id per store, not per window (2.10). */
function replicaId(db: Database, randomHex: (bytes: number) => string): Promise<string> {
  return db.transaction('rw', db.meta, async () => {
    const value = (await db.meta.get('replica'))?.value;
    if (typeof value === 'string') return value;
    const id = `r_${randomHex(16)}`;
    await db.meta.put({ key: 'replica', value: id });
    return id;
  });
}

