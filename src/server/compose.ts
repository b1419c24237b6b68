import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pino, { type DestinationStream, type Logger } from 'pino';
import { serverOrigin } from './audit/entries.ts';
import { keepBackups, listBackups } from './instance/backups.ts';
import { type Config, readConfig } from './config/config.ts';
import { DEFAULT_PORT } from './config/environment.ts';
import { dataFolder, databaseFile, lockFolder, prepareFolder } from './instance/data-folder.ts';
import type { Deps, Home, RateLimit } from './context/deps.ts';
import { removeDiscovery, writeDiscovery } from './instance/discovery.ts';
import { nodeHasher } from './instance/hasher.ts';
import { keepHeapSmall } from './instance/heap.ts';
import { createLogger, describeError } from './instance/logger.ts';
import { type Metrics, NO_METRICS } from './context/metrics.ts';
import { loadPepper, type Pepper, readSecret, type Vault } from './instance/pepper.ts';
import { finishRestore, restoreBackup } from './instance/restore.ts';
import { tellRestore } from './instance/restored.ts';
import { claimSecret, OTHER_SECRET } from './instance/secret-mark.ts';
import { SHIPPED_PROFILES } from './instance/shipped-profiles.ts';
import type { StoreOptions } from './storage/open.ts';
import { shareConnections, withLargeCalls } from './thread/large-calls.ts';
import { openStoreThread, type StoreThread } from './thread/open.ts';
import { createKeyKeeper } from './uplink/key-keeper.ts';
import { createUplink } from './uplink/uplink.ts';
import type { StorePorts } from './storage/db/context.ts';
import type { Store } from './storage/store.ts';
import type { AuditOrigin } from './storage/db/audit-entry.ts';

/**
 * Milliseconds after the start before the first backup, so that it does not slow the start down.
 */
const FIRST_BACKUP_MS = 60_000;
/**
 * Enough for a team of two hundred that edits at the same time; one agent gets a twentieth of it.
 */
const HOSTED_RATE: RateLimit = {
  perSecond: 60,
  writesPerSecond: 20,
  account: { perSecond: 1_200, writesPerSecond: 400 },
};
const BACKUP_EVERY_MS = 3_600_000;

/** The package's version: two folders up from `src/server` and from `out/server` alike. */
function packageVersion(): string {
  return (
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    }
  ).version;
}

/** An opened data folder, for commands that may run beside a server. */
export interface Data extends StorePorts, AsyncDisposable {
  folder: string;
  store: Store;
  /** The store's thread, if it has one. */
  thread: StoreThread | undefined;
  pepper: Uint8Array;
  /** Why existing API keys cannot be checked, or null. */
  pepperProblem: Pepper['problem'];
}

export interface DataOptions {
  config?: Config;
  /** The system's key store; the desktop has one. */
  vault?: Vault;
  /** The application's version; the package's if not said. */
  version?: string;
}

/** The first file of the thread that a server has; the one in its folder if not said. */
interface ThreadOptions {
  threadFile?: URL | undefined;
}

/**
 * Opens the store of a data folder (or of PostgreSQL, where the configuration names one) and its
 * secret. For a server, SQLite runs on a thread of its own, and so do large calls to PostgreSQL.
 */
export async function openData(
  asked: string | undefined,
  { config = readConfig(process.env), vault, version = packageVersion() }: DataOptions = {},
  serves?: ThreadOptions,
): Promise<Data> {
  const folder = dataFolder(asked ?? config.dataFolder);
  prepareFolder(folder);
  const ports: StorePorts = {
    clock: { now: () => Date.now() },
    random: { bytes: (length) => randomBytes(length) },
    hasher: nodeHasher,
    version,
    quotas: config.quotas,
  };
  const { thread, store } = await openOne({ file: databaseFile(folder), config, ports }, serves);
  try {
    if (store.engine === 'sqlite') await tellRestore(folder, store);
    const pepper =
      config.secretFile === undefined
        ? await loadPepper(folder, ports.random, vault)
        : readSecret(config.secretFile);
    return {
      ...ports,
      folder,
      store,
      thread,
      pepper: pepper.bytes,
      pepperProblem: pepper.problem,
      [Symbol.asyncDispose]: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openOne(
  { file, config, ports }: { file: string; config: Config; ports: StorePorts },
  serves?: ThreadOptions,
): Promise<{ store: Store; thread: StoreThread | undefined }> {
  const { databaseUrl: url, databaseConnections: connections, allowOldSqlite } = config;
  // Where the store has a thread of its own, this one loads none of it.
  const open = async (options: StoreOptions): Promise<Store> =>
    (await import('./storage/open.ts')).openStore(options, ports);
  if (url !== undefined) {
    const postgres = (most: number | undefined): StoreOptions => ({
      kind: 'postgres',
      url,
      connections: most,
      shippedProfiles: SHIPPED_PROFILES,
    });
    if (serves === undefined)
      return { store: await open(postgres(connections)), thread: undefined };
    const { own, large } = shareConnections(connections);
    const store = await open(postgres(own));
    try {
      const thread = await openStoreThread(postgres(large), ports, serves.threadFile);
      return { store: withLargeCalls(store, thread.store), thread };
    } catch (error) {
      await store.close();
      throw error;
    }
  }
  const options = {
    kind: 'sqlite',
    file,
    allowOldSqlite,
    shippedProfiles: SHIPPED_PROFILES,
  } as const;
  if (serves === undefined) return { store: await open(options), thread: undefined };
  const thread = await openStoreThread(options, ports, serves.threadFile);
  return { store: thread.store, thread };
}

export interface ServerOptions extends DataOptions, ThreadOptions {
  dataDir: string | undefined;
  home: Home;
  /** Built renderer, or undefined where there is none. */
  rendererRoot: string | undefined;
  /** For requests to a hosted server; Node's own if not said. */
  fetch?: typeof globalThis.fetch;
  /** Where the log goes; standard error if not said. */
  log?: DestinationStream;
}

export interface Composed {
  folder: string;
  deps: Deps;
  store: Store;
  logger: Logger;
  /** For `createEvidenceServer`: `fallback` where nobody asked for this very port. */
  listen: {
    host: string;
    port: number;
    fallback: boolean;
    connections: number | undefined;
    trustedProxies: readonly string[];
    leaveMs: number;
  };
  pepperProblem: Data['pepperProblem'];
  /**
   * Once the server listens: tells agents where (`server.json`), begins to keep backups and to
   * exchange with a hosted server.
   */
  announce(url: string): void;
  /**
   * After the server is closed: withdraws `server.json`, checkpoints and closes the store, frees
   * the folder.
   */
  close(): Promise<void>;
}

/**
 * Everything a server needs, for the desktop and for `serve`. This process is the folder's only
 * server until `close`.
 */
export async function composeServer(options: ServerOptions): Promise<Composed> {
  const config = options.config ?? readConfig(process.env);
  keepHeapSmall({ hosted: config.databaseUrl !== undefined });
  const folder = dataFolder(options.dataDir ?? config.dataFolder);
  prepareFolder(folder);
  // Several servers may share one PostgreSQL; a SQLite file belongs to one.
  const lock = config.databaseUrl === undefined ? lockFolder(folder) : undefined;
  try {
    if (config.databaseUrl === undefined) finishRestore(folder, Date.now());
    const logger = createLogger({
      level: config.logLevel,
      destination: options.log ?? pino.destination({ dest: 2, sync: true }),
    });
    const data = await openData(folder, { ...options, config }, options);
    // Loaded only where metrics are served, since the library takes memory and time to load.
    const metrics =
      config.metrics === undefined
        ? NO_METRICS
        : (await import('./metrics/prometheus.ts')).createPrometheus();
    // A file of SQLite has one server, whose secret it is; instances on PostgreSQL have one
    // together.
    const isOwn =
      data.pepperProblem !== null ||
      !data.store.health().ok ||
      (await claimSecret(data.store, data.pepper, { replace: data.store.engine === 'sqlite' }));
    return assemble(
      options,
      config,
      { ...data, pepperProblem: isOwn ? data.pepperProblem : OTHER_SECRET, metrics },
      logger,
      () => lock?.release(),
    );
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/**
 * Replaces the folder's database by a backup and keeps the old one; returns where. Throws
 * FolderInUseError while a server has it open.
 */
export function restoreInto(folder: string, backup: string): string {
  const lock = lockFolder(folder);
  try {
    return restoreBackup(folder, backup, Date.now());
  } finally {
    lock.release();
  }
}

/**
 * Noted in the audit trail after the backup is made, so that the trail never names one that does
 * not exist.
 */
export function noteBackup(store: Store, by: AuditOrigin, file: string): Promise<void> {
  return store.transact(async (writer) => {
    writer.audit.by(by);
    writer.audit.add({ action: 'backup.created', object: path.basename(file) });
  }, by.account_id);
}

/**
 * What whoever runs the server does alone: on a hosted one both, unless a setting says otherwise.
 */
export function operatorOnly(
  { accounts, publishing }: Pick<Config, 'accounts' | 'publishing'>,
  home: Home,
): Deps['operatorOnly'] {
  const isHosted = home === 'hosted';
  return {
    accounts: isHosted && accounts !== 'anyone',
    publishing: publishing === undefined ? isHosted : publishing === 'operator',
  };
}

function assemble(
  options: ServerOptions,
  config: Config,
  data: Data & { metrics: Metrics },
  logger: Logger,
  release: () => void,
): Composed {
  const { folder, store, clock } = data;
  const hosted = options.home === 'hosted';
  const instanceId = randomUUID();
  const reserved = operatorOnly(config, options.home);
  const copies: Deps['copies'] = {
    keep: data.pepperProblem !== null ? 'unknown' : config.offlineCopies ? 'yes' : 'no',
    offlineMs: config.offlineMs,
  };
  data.thread?.serve({
    pepper: data.pepper,
    copies,
    home: options.home,
    operatorOnly: reserved,
    version: data.version,
    instanceId,
    folder,
  });
  // A server on PostgreSQL may be one of several, but a link needs exactly one end; so such a
  // server is never connected to another.
  const uplink =
    hosted || store.engine !== 'sqlite'
      ? undefined
      : createUplink({
          ...data,
          home: options.home,
          logger,
          boot: instanceId,
          keeper: createKeyKeeper({ folder, home: options.home, vault: options.vault }),
          fetch: options.fetch ?? fetch,
        });
  let timer: NodeJS.Timeout | undefined;
  const backUp = (): void => {
    keepBackups(store, folder, clock.now())
      .then((file) =>
        file === undefined
          ? undefined
          : noteBackup(store, serverOrigin(store.local.account_id), file),
      )
      .catch((error: unknown) =>
        logger.error({ error: describeError(error) }, 'no backup was written'),
      )
      .finally(() => (timer = setTimeout(backUp, BACKUP_EVERY_MS).unref()));
  };
  return {
    folder,
    store,
    logger,
    deps: {
      store,
      thread: data.thread,
      clock,
      logger,
      instanceId,
      random: data.random,
      hasher: data.hasher,
      pepper: data.pepper,
      home: options.home,
      version: data.version,
      rendererRoot: options.rendererRoot,
      operatorOnly: reserved,
      backups: () => listBackups(folder),
      uplink,
      metrics: data.metrics,
      requestQuota: config.requestQuota,
      logClients: config.logClients,
      copies,
      rateLimit:
        config.rateLimit === 'default' ? (hosted ? HOSTED_RATE : undefined) : config.rateLimit,
    },
    listen: {
      host: config.host,
      port: config.port ?? DEFAULT_PORT,
      fallback: config.port === undefined,
      connections: config.connections,
      trustedProxies: config.trustedProxies,
      leaveMs: config.leaveMs,
    },
    pepperProblem: data.pepperProblem,
    announce(url) {
      try {
        writeDiscovery(folder, {
          url,
          pid: process.pid,
          instance_id: instanceId,
          started_at: new Date(clock.now()).toISOString(),
        });
      } catch (error) {
        logger.error(
          { error: describeError(error) },
          'server.json was not written: agents cannot find this server',
        );
      }
      timer = setTimeout(backUp, FIRST_BACKUP_MS).unref();
      uplink
        ?.start()
        .catch((error: unknown) =>
          logger.error(
            { error: describeError(error) },
            'the exchange with the hosted server did not start',
          ),
        );
    },
    async close() {
      clearTimeout(timer);
      removeDiscovery(folder, instanceId);
      await uplink?.close();
      await store.close();
      release();
    },
  };
}
