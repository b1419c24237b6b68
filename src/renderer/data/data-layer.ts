import { z } from 'zod';
import type { Hasher } from '../../shared/lib/hash.ts';
import { Session } from '../../shared/contract/v1/account.ts';
import { checkBy, checkHere, type CheckingWorker } from './replica/checking.ts';
import { type Client, createClient } from './api/client.ts';
import type { Database, StoreEngine } from './store/db.ts';
import type { CaseUid } from '../../shared/contract/ids.ts';
import { type EventSourceLike, type Presence, ServerHints } from './api/events.ts';
import { createLibrary, type CachedAnswer, type Library } from './api/library.ts';
import { type SyncOverview, WindowOverview } from './sync/sync-overview.ts';
import { BackgroundSync } from './sync/background-sync.ts';
import { openDatabase } from './store/open-database.ts';
import { BesideNews, type OnBesideNews } from './replica/beside-news.ts';
import { OpenMatrices } from './open-matrices.ts';
import type { RestrictionsOf, OpenMatrix } from './store/port.ts';
import type { LocksLike } from './replica/leader-election.ts';
import { type ChannelLike, WindowChannel } from './replica/window-channel.ts';
import { ReplicaClock } from './replica/replica-clock.ts';
import type { Replica } from './sync/replica.ts';
import type { ReplicaPorts } from './replica/replica-ports.ts';
import { SignedInOwner } from './signed-in.ts';
import { ATTENDED_BACKOFF_MS, type Timers } from '../../sync/loop.ts';
import { type SessionFacts, Who } from './api/who.ts';

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
  encryption?: StoreEngine['encryption'];
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
  restrictionsOf: RestrictionsOf;
  /** Who is signed in and how this studio is run; the last answer while the server is away. */
  session(): Promise<CachedAnswer<SessionFacts>>;
  /** This window's unsent and kept work, over all cases. */
  overview: SyncOverview;
  /** Whether this window has a copy of the case, readable without the server. */
  holds(address: Parameters<OpenMatrix>[0]): Promise<boolean>;
  /** Hears who else has a case open, as long as this window has; returns how to stop. */
  watchPresence(caseUid: CaseUid, onPresence: (presence: Presence) => void): () => void;
  /**
   * Hears when suggestions, decisions about them, threads, assignments, rounds or a stage of an open
   * case have come, from whomever; of a case that is not open, that its log has grown. Returns how
   * to stop.
   */
  watchBeside(caseUid: CaseUid, onNews: OnBesideNews): () => void;
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
  /** Sends what waits and asks who is signed in: the network is back, or somebody looks. */
  requestSync(): void;
  /** Resolves when everything on screen is on the disk, and the numbers say so. */
  settled(): Promise<void>;
  close(): void;
  /** Closes, and resolves when everything on screen is on the disk and the store is closed. */
  closeSettled(): Promise<void>;
}

const LOCAL_CAP_MS = 5_000;

/** Clocks and randomness of the composition root, in the forms that are used here. */
function toolsOf(options: DataLayerOptions) {
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
  const here = checkHere(options.hasher);
  const check = options.checkWorker === undefined ? here : checkBy(options.checkWorker, here);
  return { timers, randomHex, check };
}

/** The server: how it is asked, what it hints at, and who is signed in there. */
async function serverOf(
  options: DataLayerOptions,
  db: Database,
  { timers, randomHex }: Pick<ReturnType<typeof toolsOf>, 'timers' | 'randomHex'>,
) {
  const kept = z.object({ data: Session }).safeParse(await db.lists.get('session')).data?.data;
  const isOurs = (facts: SessionFacts): boolean =>
    options.person === undefined || facts.user.user_id === options.person;
  const who: Who = new Who(() => lists.session(), kept);
  const askWho = (): void => void who.askAgain().catch(() => undefined);
  const asker = { owner: () => who.owner, doubt: askWho };
  const client = createClient(options.fetch, asker, () => randomHex(16));
  const lists = createLibrary(client, db, options.now, isOurs);
  const library: Library = { ...lists, session: () => who.ask() };
  const hints = new ServerHints(options.eventSource, timers, askWho);
  return { client, library, who, askWho, hints, isOurs };
}

type Server = Awaited<ReturnType<typeof serverOf>>;

async function replicaPortsOf(
  options: DataLayerOptions,
  db: Database,
  { timers, randomHex, check }: ReturnType<typeof toolsOf>,
  { client, hints, who }: Server,
  { changed, readBeside }: Pick<ReplicaPorts, 'changed' | 'readBeside'>,
): Promise<ReplicaPorts> {
  const replica = await replicaId(db, randomHex);
  return {
    client,
    db,
    timers,
    hints,
    who,
    check,
    changed,
    readBeside,
    encoding: { hasher: options.hasher, randomHex, replica, version: options.version ?? '0.0.0' },
    clock: await ReplicaClock.from(db, options.now),
    locks: options.locks,
    broadcast: options.broadcast,
    backoffCap: () => (who.facts?.home === 'hosted' ? ATTENDED_BACKOFF_MS : LOCAL_CAP_MS),
  };
}

/** The open matrices, the overview of all of them, and the sending of what waits beside them. */
async function matricesOf(
  options: DataLayerOptions,
  db: Database,
  tools: ReturnType<typeof toolsOf>,
  server: Server,
) {
  const { who, library } = server;
  const open = new Set<Replica>();
  const beside = new BesideNews(tools.timers);
  const common = { db, hasher: options.hasher, timers: tools.timers, who, open, beside };
  const replica = await replicaPortsOf(options, db, tools, server, {
    changed: () => overview.invalidate(),
    readBeside(caseUid, news) {
      beside.tell(caseUid, news);
      channel.send({ kind: 'beside', case: caseUid, news: [...news] });
    },
  });
  const channel = new WindowChannel(options.broadcast, (message) => {
    if (message.kind === 'who') server.askWho();
    else if (message.kind === 'beside') beside.tell(message.case, message.news);
    else if (message.kind === 'outbox' || message.kind === 'reread') overview.invalidate();
  });
  const overview = new WindowOverview({
    ...common,
    notify: (message) => channel.send(message),
    sendOthers: (why) => background.request(why),
  });
  const matrices = new OpenMatrices({
    ...common,
    library,
    replica,
    takeOver: () => signedIn.takeOver(),
    closed: () => void overview.read().catch(() => undefined),
    left: () => background.request('work'),
  });
  const background = new BackgroundSync({
    ...common,
    freshRow: (address) => matrices.freshRow(address),
    openReplica: (row) => matrices.openReplica(row),
    settled: () => matrices.settled(),
    retryMs: () => replica.backoffCap(),
  });
  const signedIn = new SignedInOwner({
    db,
    who,
    isOurs: server.isOurs,
    isOpen: (id) => [...open].some(({ row }) => row.id === id),
    onPerson: (now) => {
      channel.send({ kind: 'who' });
      options.onPerson?.(now);
    },
    onOtherOwner: () => options.onOtherOwner?.(),
    onOwner: () => background.request('work'),
    answered: () => overview.invalidate(),
    named: () => overview.invalidate(),
    tookOver: () => overview.read(),
  });
  await overview.read();
  return { overview, background, channel, matrices, beside };
}

/**
 * Opens the window's store and everything that works on it. Made once, in the renderer's
 * composition root.
 */
export async function createDataLayer(options: DataLayerOptions): Promise<DataLayer> {
  const engine: StoreEngine = {
    factory: options.indexedDB ?? globalThis.indexedDB,
    keyRange: globalThis.IDBKeyRange,
    encryption: options.encryption,
  };
  const { db, rebuilt } = await openDatabase(engine, options.databaseName);
  const tools = toolsOf(options);
  const server = await serverOf(options, db, tools);
  const { overview, background, channel, matrices, beside } = await matricesOf(
    options,
    db,
    tools,
    server,
  );
  const { client, library, who, askWho, hints } = server;

  async function closeSettled(): Promise<void> {
    hints.close();
    background.close();
    channel.close();
    await matrices.close();
    db.close();
  }

  return {
    client,
    library,
    openMatrix: (address) => matrices.open(address),
    restrictionsOf: (address) => matrices.restrictionsOf(address),
    session: () => who.ask(),
    overview,
    rebuilt,
    holds: (address) => matrices.holds(address),
    watchPresence: (caseUid, onPresence) => hints.watch(caseUid, onPresence),
    watchBeside: (caseUid, onNews) => watchBeside(caseUid, onNews, { beside, hints, matrices }),
    ui: {
      get: async (key) => (await db.ui.get(key))?.value,
      set: async (key, value) =>
        void (await (value === undefined ? db.ui.delete(key) : db.ui.put({ key, value }))),
      all: async () => new Map((await db.ui.toArray()).map(({ key, value }) => [key, value])),
    },
    forget: () => db.lists.clear(),
    requestSync() {
      askWho();
      overview.tryNow('reach');
    },
    async settled() {
      await matrices.settled();
      await overview.read();
    },
    close: () => void closeSettled(),
    closeSettled,
  };
}

/** Where no matrix is open that reads the log, all that is known is that it has grown. */
function watchBeside(
  caseUid: CaseUid,
  onNews: OnBesideNews,
  { beside, hints, matrices }: { beside: BesideNews; hints: ServerHints; matrices: OpenMatrices },
): () => void {
  const { tell, stop } = beside.watch(caseUid, onNews);
  const unlisten = hints.listen(caseUid, () => {
    if (!matrices.reads(caseUid)) tell();
  });
  return () => {
    stop();
    unlisten();
  };
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
