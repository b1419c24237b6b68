import { randomUUID } from 'node:crypto';
import pino, { type DestinationStream, type Logger } from 'pino';
import { type Config, readConfig } from './config/config.ts';
import { DEFAULT_PORT } from './config/environment.ts';
import type { Home } from '../shared/contract/v1/account.ts';
import type { Deps, RateLimit } from './context/deps.ts';
import { type Metrics, NO_METRICS } from './context/metrics.ts';
import type { Uplink } from './context/uplink.ts';
import { scheduleBackups } from './instance/backup-schedule.ts';
import { listBackups } from './instance/backups.ts';
import { dataFolder, lockFolder, prepareFolder } from './instance/data-folder.ts';
import { removeDiscovery, writeDiscovery } from './instance/discovery.ts';
import { keepHeapSmall } from './instance/heap.ts';
import { createLogger, describeError } from './instance/logger.ts';
import { finishRestore, restoreBackup } from './instance/restore.ts';
import { claimSecret, OTHER_SECRET } from './instance/secret-mark.ts';
import { nodeFetch } from './network/node-fetch.ts';
import { type Data, type DataOptions, openData, type ThreadOptions } from './open-data.ts';
import type { Store } from './storage/store.ts';
import { createKeyStore } from './uplink/key-store.ts';
import { createUplink } from './uplink/uplink.ts';

/**
 * Enough for a team of two hundred that edits at the same time; one agent gets a twentieth of it.
 */
const HOSTED_RATE: RateLimit = {
  perSecond: 60,
  writesPerSecond: 20,
  account: { perSecond: 1_200, writesPerSecond: 400 },
};

export interface ComposeOptions extends DataOptions, ThreadOptions {
  dataDir: string | undefined;
  home: Home;
  /** Program and arguments that run a command of ours on this computer. */
  program?: readonly string[];
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
  secretProblem: Data['secretProblem'];
  /**
   * Once the server listens: tells agents where (`server.json`), begins to keep backups and to
   * sync with a hosted server.
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
export async function composeServer(options: ComposeOptions): Promise<Composed> {
  const config = options.config ?? readConfig(process.env);
  keepHeapSmall(config.databaseUrl === undefined ? 'front' : 'hosted');
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
      data.secretProblem !== null ||
      !data.store.health().ok ||
      (await claimSecret(data.store, data.hmacSecret, { replace: data.store.engine === 'sqlite' }));
    return assemble({
      options,
      config,
      data: { ...data, secretProblem: isOwn ? data.secretProblem : OTHER_SECRET },
      metrics,
      logger,
      release: () => lock?.release(),
    });
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

/** What a server is assembled from. */
interface ServerParts {
  options: ComposeOptions;
  config: Config;
  data: Data;
  metrics: Metrics;
  logger: Logger;
  release(): void;
}

/**
 * A server on PostgreSQL may be one of several, but a link needs exactly one end; so such a server
 * is never connected to another.
 */
function connectUpstream(
  { options, data, logger }: ServerParts,
  instanceId: string,
): ReturnType<typeof createUplink> | undefined {
  const { home, secretStore } = options;
  if (home === 'hosted' || data.store.engine !== 'sqlite') return undefined;
  return createUplink({
    ...data,
    home,
    logger,
    boot: instanceId,
    keyStore: createKeyStore({ folder: data.folder, home, secretStore }),
    fetch: options.fetch ?? nodeFetch,
  });
}

function depsOf(
  { options: { home, rendererRoot, program }, config, data, metrics, logger }: ServerParts,
  instanceId: string,
  uplink: Uplink | undefined,
): Deps {
  const { store, thread, clock, random, hasher, hmacSecret, version, folder } = data;
  const defaultRate = home === 'hosted' ? HOSTED_RATE : undefined;
  return {
    store,
    thread,
    clock,
    logger,
    instanceId,
    random,
    hasher,
    hmacSecret,
    home,
    version,
    rendererRoot,
    ...(program && home !== 'hosted' && { agentCommand: [...program, 'mcp', '--data', folder] }),
    operatorOnly: operatorOnly(config, home),
    backups: () => listBackups(folder),
    uplink,
    metrics,
    areSticky: config.stickyAccounts,
    redisUrl: config.redisUrl,
    requestQuota: config.requestQuota,
    logClients: config.logClients,
    copies: {
      keep: data.secretProblem !== null ? 'unknown' : config.offlineCopies ? 'yes' : 'no',
      offlineMs: config.offlineMs,
    },
    ...(home === 'hosted' && { notices: config.notices }),
    timeStamps: config.timeStamps,
    rateLimit: config.rateLimit === 'default' ? defaultRate : config.rateLimit,
  };
}

const listenOptions = (config: Config): Composed['listen'] => ({
  host: config.host,
  port: config.port ?? DEFAULT_PORT,
  fallback: config.port === undefined,
  connections: config.connections,
  trustedProxies: config.trustedProxies,
  leaveMs: config.leaveMs,
});

/** Tells agents on this computer where the server is. */
function announceTo(folder: string, { clock, logger, instanceId }: Deps, url: string): void {
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
}

function assemble(parts: ServerParts): Composed {
  const { config, data, logger, release } = parts;
  const { folder, store, secretProblem } = data;
  const instanceId = randomUUID();
  const uplink = connectUpstream(parts, instanceId);
  const deps = depsOf(parts, instanceId, uplink);
  const { hmacSecret, timeStamps, copies, home, version } = deps;
  data.thread?.serve({
    hmacSecret,
    timeStamps,
    copies,
    home,
    operatorOnly: deps.operatorOnly,
    version,
    instanceId,
    folder,
  });
  let backups: ReturnType<typeof scheduleBackups> | undefined;
  return {
    folder,
    store,
    logger,
    deps,
    listen: listenOptions(config),
    secretProblem,
    announce(url) {
      announceTo(folder, deps, url);
      backups = scheduleBackups(deps, folder);
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
      backups?.stop();
      removeDiscovery(folder, instanceId);
      await uplink?.close();
      await store.close();
      release();
    },
  };
}
