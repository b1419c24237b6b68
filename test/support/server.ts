import { ofOwnAccount } from './own-account.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keyMac, mintKey } from '../../src/server/auth/keys.ts';
import type { Deps } from '../../src/server/context/deps.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { createLogger } from '../../src/server/instance/logger.ts';
import { NO_METRICS } from '../../src/server/context/metrics.ts';
import {
  createEvidenceServer,
  type EvidenceServer,
  type ServerOptions,
} from '../../src/server/server.ts';
import { SHIPPED_PROFILES } from '../../src/server/instance/shipped-profiles.ts';
import { openStore, type StoreOptions } from '../../src/server/storage/open.ts';
import type { BlobPlace } from '../../src/server/storage/blobs/place.ts';
import type { Uplink } from '../../src/server/context/uplink.ts';
import type { Role, Scope } from '../../src/shared/contract/v1/account.ts';
import './quick-passwords.ts';
import { postgresHash, SqliteWatcher } from './database-hash.ts';
import type { Json } from './json.ts';
import { putMigrated } from './migrated-file.ts';
import { makePlainDatabase, SHARED_POSTGRES } from './plain-database.ts';
import { takeTurns } from './round-robin.ts';
import { EVERY_ACCOUNT } from '../../src/server/storage/db/session.ts';
import type { Store } from '../../src/server/storage/store.ts';

export interface KeyOptions {
  name?: string;
  scopes?: Scope[];
  expires_at?: string | null;
  /** Whose key it is, if not the local person's. */
  user?: { name: string; role: Role };
}

export interface BootOptions {
  deps?: Partial<Deps>;
  server?: Partial<ServerOptions>;
  /** Changes the store before the server sees it: to fail, to wait. */
  wrapStore?: (store: Deps['store']) => Deps['store'];
  /** Gives the server the exchange with a hosted server. */
  uplink?: (deps: Deps) => Uplink;
  /** Address of a PostgreSQL database to use instead of a file. */
  databaseUrl?: string;
  /** Where blobs are kept, if not in the database. */
  blobs?: BlobPlace;
}

/**
 * A real server on a free port, on a real SQLite file of its own; or hosted ones behind one
 * address, on a PostgreSQL database of their own.
 */
export interface TestServer extends AsyncDisposable {
  url: string;
  /** Key of a program that may do everything; key that only reads. */
  key: string;
  readKey: string;
  /** A studio's, which brings what others wrote. */
  syncKey: string;
  deps: Deps;
  server: EvidenceServer;
  databaseFile: string;
  /**
   * Digests of all that is stored (`database-hash.ts`), but of what is noted by the clock or of
   * every request.
   */
  stored(): Promise<string>;
  /** Moves the server's clock, ms. */
  advance(ms: number): void;
  makeKey(options?: KeyOptions): Promise<string>;
  /** Everything logged so far. */
  log(): string;
  call(method: string, pathAndQuery: string, options?: CallOptions): Promise<TestAnswer>;
  /** Once, however often it is called. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** null: none. */
  key?: string | null;
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}
export interface TestAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Json;
}

/**
 * As many hosted servers on one PostgreSQL, each call on a connection of its own to the next one:
 * the project `instances`.
 */
export const INSTANCES = Number(process.env.EVIDENCE_TEST_INSTANCES ?? '1');

interface Place {
  options: StoreOptions;
  stored(): Promise<string>;
  drop(): Promise<void>;
}
async function placeOf(file: string, given: string | undefined): Promise<Place> {
  if (given !== undefined)
    return {
      options: { kind: 'postgres', url: given },
      stored: () => postgresHash(given),
      drop: async () => {},
    };
  if (INSTANCES === 1) {
    await putMigrated(file);
    const watcher = new SqliteWatcher(file);
    return {
      options: { kind: 'sqlite', file, allowOldSqlite: false },
      stored: async () => watcher.hash(),
      drop: async () => watcher.close(),
    };
  }
  const { url, superuserUrl, drop } = await makePlainDatabase(SHARED_POSTGRES);
  return { options: { kind: 'postgres', url }, stored: () => postgresHash(superuserUrl), drop };
}

export async function bootServer(options: BootOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-server-'));
  const databaseFile = path.join(folder, 'evidence.sqlite');
  let shift = 0;
  let log = '';
  const clock = { now: () => Date.now() + shift };
  const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };
  const hmacSecret = random.bytes(32);
  const place = await placeOf(databaseFile, options.databaseUrl);
  const front = INSTANCES === 1 ? undefined : await takeTurns();

  async function start(): Promise<{ opened: Store; deps: Deps; server: EvidenceServer }> {
    const opened = await openStore(
      { ...place.options, shippedProfiles: SHIPPED_PROFILES, blobs: options.blobs },
      { clock, random, hasher: nodeHasher, version: '0.0.0-test' },
    );
    const deps: Deps = {
      store: options.wrapStore?.(opened) ?? opened,
      copies: { keep: 'yes', offlineMs: 3_600_000 },
      clock,
      random,
      hasher: nodeHasher,
      hmacSecret,
      logger: createLogger({
        level: 'debug',
        destination: { write: (line) => void (log += line) },
      }),
      home: front === undefined ? 'local' : 'hosted',
      version: '0.0.0-test',
      instanceId: 'test-instance',
      rendererRoot: undefined,
      operatorOnly: { accounts: false, publishing: false },
      backups: () => [],
      uplink: undefined,
      metrics: NO_METRICS,
      rateLimit: undefined,
      ...options.deps,
    };
    if (options.uplink !== undefined) deps.uplink = options.uplink(deps);
    return {
      opened,
      deps,
      server: await createEvidenceServer(deps, {
        port: 0,
        validateAnswers: true,
        ...(front && { publicUrl: new URL(front.url) }),
        ...options.server,
        // A request on a connection that the server closes at that moment fails: on a machine that
        // is busy enough, five seconds pass between two of them.
        limits: { keepAliveTimeout: 120_000, ...options.server?.limits },
      }),
    };
  }
  const instances = [await start()];
  while (instances.length < INSTANCES) instances.push(await start());
  front?.ports.push(...instances.map((instance) => instance.server.port));
  const { opened, deps, server } = instances[0]!;

  async function makeKey({
    name = 'test',
    scopes = ['read', 'write'],
    expires_at = null,
    user,
  }: KeyOptions = {}): Promise<string> {
    const { key, key_id, prefix } = mintKey(random);
    const { account_id } = opened.local;
    await opened.transact(async (writer) => {
      const { user_id } =
        user === undefined
          ? opened.local
          : await writer.userWrites.ensure(account_id, user.name, user.role);
      await writer.keyWrites.create({
        key_id,
        prefix,
        account_id,
        user_id,
        name,
        scopes,
        expires_at,
        mac: keyMac(key, hmacSecret),
      });
    }, EVERY_ACCOUNT);
    return key;
  }
  const key = await makeKey({ scopes: ['read', 'write', 'delete'] });
  const syncKey = await makeKey({ name: 'studio', scopes: ['sync'] });
  const readKey = await makeKey({ name: 'reader', scopes: ['read'] });

  async function end(): Promise<void> {
    for (const instance of instances) {
      await instance.server.close();
      await instance.opened.close();
    }
    await front?.close();
    await place.drop();
    rmSync(folder, { recursive: true, force: true });
  }
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());

  async function call(
    method: string,
    pathAndQuery: string,
    { key: own = key, body, raw, headers }: CallOptions = {},
  ): Promise<TestAnswer> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(server.url + pathAndQuery, {
      method,
      redirect: 'manual',
      headers: {
        ...(own !== null && { authorization: `Bearer ${own}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(front && { connection: 'close' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const isJson =
      response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }

  return {
    url: server.url,
    key,
    readKey,
    syncKey,
    deps: front === undefined ? deps : { ...deps, store: ofOwnAccount(deps.store) },
    server,
    databaseFile,
    makeKey,
    call,
    close,
    stored: place.stored,
    advance: (ms) => void (shift += ms),
    log: () => log,
    [Symbol.asyncDispose]: close,
  };
}
