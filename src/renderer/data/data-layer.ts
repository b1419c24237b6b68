import { z } from 'zod';
import type { Hasher } from '../../shared/lib/hash.ts';
import { profileDigest } from '../../shared/domain/profile.ts';
import { Session } from '../../shared/contract/v1/account.ts';
import { checkBy, checkHere, type CheckingWorker } from './replica/checking.ts';
import { type Client, createClient } from './api/client.ts';
import type { Database, Engine, MatrixRow } from './store/db.ts';
import { type EventSourceLike, Hints } from './api/events.ts';
import { createLibrary, type Kept, type Library } from './api/library.ts';
import { type Desk, USER_KEY, WindowDesk } from './sync/desk.ts';
import { Drain } from './sync/drain.ts';
import { createMatrixSession } from './matrix-session.ts';
import { openDatabase } from './store/open-database.ts';
import type { OpenMatrix } from './store/port.ts';
import { type ChannelLike, type LocksLike, Presence } from './replica/presence.ts';
import { readMatrixRow } from './store/stored-rows.ts';
import { ReplicaClock } from './replica/replica-clock.ts';
import { Replica } from './sync/replica.ts';
import { takeOver } from './sync/former-self.ts';
import { matrixId, type ReplicaPorts } from './replica/replica-ports.ts';
import { EMPTY_CHAIN, EMPTY_SUM, LOG_START } from '../../sync/log.ts';
import { ATTENDED_BACKOFF_MS, type Timers } from '../../sync/loop.ts';
import { ownerOf, type SessionFacts, Who } from './api/who.ts';

export interface DataLayerOptions {
  fetch: typeof globalThis.fetch;
  now: () => number;
  elapsed: Timers['elapsed'];
  randomBytes: (length: number) => Uint8Array;
  hasher: Hasher;
  /** Starts the worker that checks what was read from the server; without one this thread does. */
  checkWorker?: () => CheckingWorker;
  /** Version of the application, written into changes. */
  version?: string;
  indexedDB?: IDBFactory;
  databaseName?: string;
  /** By what the copy is encrypted; absent where this computer's own window keeps it. */
  encryption?: Engine['encryption'];
  /**
   * The one person whose data this copy may hold; absent where everybody of this computer shares
   * it.
   */
  person?: string | undefined;
  /** Called when the server has said whether `person` is signed in, nobody is, or somebody else. */
  onPerson?: (now: 'here' | 'signed_out' | 'other_person') => void;
  locks?: LocksLike;
  broadcast?: (name: string) => ChannelLike;
  eventSource?: (url: string) => EventSourceLike;
  /** Called when another user has signed in or the account was switched, in any window. */
  onOtherOwner?: () => void;
  /** Calls back after some time; returns a function that cancels it. */
  after?: Timers['after'];
}

export interface DataLayer {
  client: Client;
  library: Library;
  openMatrix: OpenMatrix;
  /** Who is signed in and how this studio is run; the last answer while the server is away. */
  session(): Promise<Kept<SessionFacts>>;
  /** This window's unsent and kept work, over all cases. */
  desk: Desk;
  /** Whether this window has a copy of the case, readable without the server. */
  holds(address: Parameters<OpenMatrix>[0]): Promise<boolean>;
  /**
   * Small facts about the view that outlive a reload. This layer does not look into them.
   * `undefined` takes one away.
   */
  ui: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    all(): Promise<Map<string, unknown>>;
  };
  /** Not null if the stored copy could not be opened and was created again. */
  rebuilt: { rescued: number; cause: string } | null;
  /**
   * After signing out: removes the copies from this browser. Unsent changes stay, under their
   * author's name.
   */
  forget(): Promise<void>;
  /** Ends the waits of open matrices, because the network is back or a person asks. */
  wake(): void;
  /** Resolves when everything on screen is on the disk, and the numbers say so. */
  settled(): Promise<void>;
  close(): void;
  /** Closes, and resolves when everything on screen is on the disk and the store is closed. */
  closeSettled(): Promise<void>;
}

const LOCAL_CAP_MS = 5_000;

/**
 * How long a copy waits for the answer who is signed in, before it is shown to the last known user.
 * Milliseconds.
 */
const WHO_MS = 1_500;

/**
 * Opens the window's store and everything that works on it. Made once, in the renderer's
 * composition root.
 */
export async function createDataLayer(options: DataLayerOptions): Promise<DataLayer> {
  const engine: Engine = {
    factory: options.indexedDB ?? globalThis.indexedDB,
    keyRange: globalThis.IDBKeyRange,
    encryption: options.encryption,
  };
  const { db, rebuilt } = await openDatabase(engine, options.databaseName);
  const random = (): number =>
    new DataView(options.randomBytes(4).slice().buffer).getUint32(0) / 2 ** 32;
  const after: Timers['after'] =
    options.after ??
    ((ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    });
  const timers: Timers = { now: options.now, elapsed: options.elapsed, random, after };
  const randomHex = (bytes: number): string =>
    Array.from(options.randomBytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const kept = z.object({ data: Session }).safeParse(await db.lists.get('session')).data?.data;
  const isOurs = (facts: SessionFacts): boolean =>
    options.person === undefined || facts.user.user_id === options.person;
  const who: Who = new Who(() => lists.session(), kept);
  const client = createClient(options.fetch, {
    owner: () => who.owner,
    doubt: () => void who.ask().catch(() => undefined),
  });
  const lists = createLibrary(client, db, options.now, isOurs);
  const library: Library = { ...lists, session: () => who.ask() };
  const hints = new Hints(options.eventSource, timers, () => void who.ask().catch(() => undefined));
  const open = new Set<Replica>();
  /** What closed matrices are still storing. */
  const leaving = new Set<Promise<void>>();
  const replica = await replicaId(db, randomHex);
  const here = checkHere(options.hasher);
  const check = options.checkWorker === undefined ? here : checkBy(options.checkWorker, here);
  const ports: ReplicaPorts = {
    client,
    db,
    timers,
    hints,
    who,
    check,
    changed: () => desk.stir(),
    seal: { hasher: options.hasher, randomHex, replica, version: options.version ?? '0.0.0' },
    clock: await ReplicaClock.from(db, options.now),
    locks: options.locks,
    broadcast: options.broadcast,
    backoffCap: () => (who.facts?.home === 'hosted' ? ATTENDED_BACKOFF_MS : LOCAL_CAP_MS),
  };

  const channel = new Presence(options.broadcast, (message) => {
    if (message.kind === 'who') void who.ask().catch(() => undefined);
    else if (message.kind === 'outbox' || message.kind === 'anew') desk.stir();
  });
  const desk = new WindowDesk({
    db,
    hasher: options.hasher,
    who,
    open,
    timers,
    tell: (message) => channel.tell(message),
    drain: () => drain.soon(),
  });
  const drain = new Drain({
    db,
    hasher: options.hasher,
    timers,
    who,
    open,
    freshRow,
    openReplica,
    retryMs: () => ports.backoffCap(),
  });
  let owner = who.owner;
  let taking: Promise<void> = Promise.resolve();
  /** The copies and undo steps of those who this person was before become theirs. */
  const takeOverAll = (): Promise<void> => {
    const { facts, owner: me } = who;
    if (facts === undefined || me === undefined || facts.home === 'hosted') return taking;
    for (const former of facts.user.formerly ?? [])
      taking = taking
        .then(() => takeOver(db, former, me, (id) => [...open].some(({ row }) => row.id === id)))
        .catch(() => undefined);
    return taking;
  };
  who.subscribe(() => {
    const facts = who.signedOut ? undefined : who.facts;
    channel.tell({ kind: 'who' });
    const isOther = facts !== undefined && !isOurs(facts);
    options.onPerson?.(who.signedOut ? 'signed_out' : isOther ? 'other_person' : 'here');
    if (isOther) return;
    if (facts !== undefined) {
      const former = owner;
      owner = ownerOf(facts);
      // What was shown to one user or in one account must not be shown to the next.
      if (former !== undefined && former !== owner)
        void dropLists(db)
          .catch(() => undefined)
          .finally(() => options.onOtherOwner?.());
      void db.meta
        .put({
          key: `${USER_KEY}${owner}`,
          value:
            facts.home === 'hosted'
              ? `${facts.user.name} in ${facts.account.name}`
              : facts.user.name,
        })
        .then(
          () => desk.stir(),
          () => undefined,
        );
      drain.soon();
      void takeOverAll()
        .then(() => desk.read())
        .catch(() => undefined);
    }
    desk.stir();
  });
  await desk.read();

  async function openReplica(row: MatrixRow): Promise<Replica> {
    const opened = new Replica(row, ports);
    open.add(opened);
    opened.closing.addEventListener('abort', () => {
      open.delete(opened);
      const storing = opened.writer.settled().finally(() => leaving.delete(storing));
      leaving.add(storing);
      // Its numbers are those of the store from here on.
      void desk.read().catch(() => undefined);
      drain.soon();
    });
    try {
      await opened.start();
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }

  /**
   * A matrix that is stored here opens without waiting for the server. But it belongs to one user,
   * so the server is first asked, for a moment, who is signed in.
   */
  async function openMatrix(address: Parameters<OpenMatrix>[0]) {
    if (!who.asked) {
      const answer = who.ask().catch(() => undefined);
      await (who.facts === undefined
        ? answer
        : Promise.race([answer, new Promise<void>((resolve) => void after(WHO_MS, resolve))]));
    }
    const { owner: me, facts } = who;
    if (me === undefined || facts === undefined) {
      await who.ask();
      return openMatrix(address);
    }
    await takeOverAll();
    const known = readMatrixRow(await db.matrices.get(matrixId(me, address)));
    return createMatrixSession(
      await openReplica(
        known === undefined ? await freshRow(address) : await rowOf(known, address),
      ),
      facts.user,
    );
  }

  /**
   * A stored copy, or a new one in its place where it was read under another document than the
   * matrix is of. Unsent changes are in the outbox and stay.
   */
  async function rowOf(known: MatrixRow, address: Parameters<OpenMatrix>[0]): Promise<MatrixRow> {
    if (
      address.digest === undefined ||
      address.digest === profileDigest(known.profile, options.hasher)
    )
      return known;
    const fresh = await freshRow(address);
    await db.matrices.put(fresh);
    return fresh;
  }

  async function freshRow({
    caseUid,
    profileUid,
    profileVersion,
    digest,
  }: Parameters<OpenMatrix>[0]): Promise<MatrixRow> {
    const named =
      digest ??
      (await library.caseDocument(caseUid, profileUid, profileVersion).then(
        ({ data }) => data.digest ?? undefined,
        () => undefined,
      ));
    const { data: profile } = await library.profile(profileUid, profileVersion, named);
    const me = who.owner ?? '';
    return {
      id: matrixId(me, { caseUid, profileUid, profileVersion }),
      user: me,
      case_uid: caseUid,
      profile_uid: profileUid,
      profile_version: profileVersion,
      profile,
      rules: profile.rules
        .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
        .map((rule) => rule.ruleUid),
      gen: 0,
      boot: '',
      rev: 0,
      epoch: '',
      base_seq: 0,
      pull_seq: 0,
      pull_chain: EMPTY_CHAIN,
      witness: LOG_START,
      count: 0,
      sum: EMPTY_SUM,
      schema: 0,
      last_ok: null,
      review: 0,
      overlaid: [],
    };
  }

  async function closeSettled(): Promise<void> {
    hints.close();
    drain.close();
    channel.close();
    for (const one of open) one.close();
    await Promise.all(leaving);
    db.close();
  }

  return {
    client,
    library,
    openMatrix,
    session: () => who.ask(),
    desk,
    rebuilt,
    async holds(address) {
      const row = await db.matrices.get(matrixId(who.owner ?? '', address));
      return row !== undefined && row.gen > 0;
    },
    ui: {
      get: async (key) => (await db.ui.get(key))?.value,
      set: async (key, value) =>
        void (await (value === undefined ? db.ui.delete(key) : db.ui.put({ key, value }))),
      all: async () => new Map((await db.ui.toArray()).map(({ key, value }) => [key, value])),
    },
    forget: () => db.lists.clear(),
    wake() {
      void who.ask().catch(() => undefined);
      desk.tryNow();
    },
    async settled() {
      await Promise.all([...leaving, ...[...open].map((one) => one.writer.settled())]);
      await desk.read();
    },
    close: () => void closeSettled(),
    closeSettled,
  };
}

async function dropLists(db: Database): Promise<void> {
  await db.lists.bulkDelete(
    (await db.lists.toCollection().primaryKeys()).filter((key) => key !== 'session'),
  );
}

/** One id for each browser store, not for each window (2.10). */
function replicaId(db: Database, randomHex: (bytes: number) => string): Promise<string> {
  return db.transaction('rw', db.meta, async () => {
    const value = (await db.meta.get('replica'))?.value;
    if (typeof value === 'string') return value;
    const id = `r_${randomHex(16)}`;
    await db.meta.put({ key: 'replica', value: id });
    return id;
  });
}
