import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from './config/config.ts';
import { dataFolder, databaseFile, prepareFolder } from './instance/data-folder.ts';
import { nodeHasher } from './instance/hasher.ts';
import {
  loadHmacSecret,
  type HmacSecret,
  readSecret,
  type SecretStore,
} from './instance/hmac-secret.ts';
import { reportRestore } from './instance/restored.ts';
import { SHIPPED_PROFILES } from './instance/shipped-profiles.ts';
import type { StoreOptions } from './storage/open.ts';
import type { Store } from './storage/store.ts';
import type { StorePorts } from './storage/db/context.ts';
import { shareConnections, withLargeCalls } from './thread/large-calls.ts';
import { packageVersion } from './package-version.ts';
import { openStoreThread, type StoreThread } from './thread/open.ts';

/** An opened data folder, for commands that may run beside a server. */
export interface Data extends StorePorts, AsyncDisposable {
  folder: string;
  store: Store;
  /** The store's thread, if it has one. */
  thread: StoreThread | undefined;
  hmacSecret: Uint8Array;
  /** Why existing API keys cannot be checked, or null. */
  secretProblem: HmacSecret['problem'];
}

export interface DataOptions {
  config?: Config;
  /** The system's key store; the desktop has one. */
  secretStore?: SecretStore;
  /** The application's version; the package's if not said. */
  version?: string;
}

/** The first file of the thread that a server has; the one in its folder if not said. */
export interface ThreadOptions {
  threadFile?: URL | undefined;
}

let systemKeyStore: SecretStore | undefined;

/** The key store that this process opens sealed secrets with, where no other is said. */
export function provideKeyStore(store: SecretStore): void {
  systemKeyStore = store;
}

/**
 * Opens the store of a data folder (or of PostgreSQL, where the configuration names one) and its
 * secret. For a server, SQLite runs on a thread of its own, and so do large calls to PostgreSQL.
 */
export async function openData(
  asked: string | undefined,
  {
    config = readConfig(process.env),
    secretStore = systemKeyStore,
    version = packageVersion(),
  }: DataOptions = {},
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
  const opening: DataOpening = { file: databaseFile(folder), config, ports };
  const { thread, store } = await (config.databaseUrl === undefined
    ? openSqlite(opening, serves)
    : openPostgres(config.databaseUrl, opening, serves));
  try {
    if (store.engine === 'sqlite') await reportRestore(folder, store);
    const hmacSecret =
      config.secretFile === undefined
        ? await loadHmacSecret(folder, ports.random, secretStore)
        : readSecret(config.secretFile);
    return {
      ...ports,
      folder,
      store,
      thread,
      hmacSecret: hmacSecret.bytes,
      secretProblem: hmacSecret.problem,
      [Symbol.asyncDispose]: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface DataOpening {
  file: string;
  config: Config;
  ports: StorePorts;
}
type OpenedStore = Pick<Data, 'store' | 'thread'>;

/** Where the store has a thread of its own, this one loads none of it. */
async function openHere(options: StoreOptions, ports: StorePorts): Promise<Store> {
  return (await import('./storage/open.ts')).openStore(options, ports);
}

async function openPostgres(
  url: string,
  { config: { databaseConnections, blobs }, ports }: DataOpening,
  serves?: ThreadOptions,
): Promise<OpenedStore> {
  const optionsFor = (connections: number | undefined): StoreOptions => ({
    kind: 'postgres',
    url,
    connections,
    blobs,
    shippedProfiles: SHIPPED_PROFILES,
  });
  if (serves === undefined)
    return { store: await openHere(optionsFor(databaseConnections), ports), thread: undefined };
  const { own, large } = shareConnections(databaseConnections);
  const store = await openHere(optionsFor(own), ports);
  try {
    const thread = await openStoreThread(optionsFor(large), ports, serves.threadFile);
    return { store: withLargeCalls(store, thread.store), thread };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openSqlite(
  { file, config: { allowOldSqlite }, ports }: DataOpening,
  serves?: ThreadOptions,
): Promise<OpenedStore> {
  const options = {
    kind: 'sqlite',
    file,
    allowOldSqlite,
    shippedProfiles: SHIPPED_PROFILES,
  } as const;
  if (serves === undefined) return { store: await openHere(options, ports), thread: undefined };
  const thread = await openStoreThread(options, ports, serves.threadFile);
  return { store: thread.store, thread };
}
