import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import type { DoctorReport, Finding } from '../../shared/contract/doctor.ts';
import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { verifyChains } from '../audit/verify-audit.ts';
import { listBackups } from '../instance/backups.ts';
import { databaseFile } from '../instance/data-folder.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { SealedSecretError } from '../instance/hmac-secret.ts';
import { AUDIT_START } from '../storage/audit/audit.ts';
import { StoreOpenError } from '../storage/db/errors.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import { inThread } from '../storage/db/sqlite/sqlite-thread.ts';
import type { Store } from '../storage/store.ts';
import { examineFolder, finding } from './folder.ts';

export interface Examined {
  folder: string;
  version: string;
  /** The opened store, or why it does not open; undefined where there is none yet. */
  store: Store | { failed: unknown } | undefined;
  secretProblem: string | null;
  /** Where a server of this folder says it is, and whether it answers there. */
  server: { url: string; answers: boolean } | undefined;
  port: number;
  uplink: UplinkStatus | undefined;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof globalThis.fetch;
  now(): number;
}

const HOSTED_WITHIN_MS = 5_000;
/** Seconds that clocks may differ before the order of changes suffers. */
const SKEW = 60;
const MINUTE = 60_000;

async function examineDatabase({ folder, store }: Examined): Promise<Finding[]> {
  if (store === undefined) return [finding('note', 'database_missing')];
  if ('failed' in store) {
    const { failed } = store;
    if (failed instanceof SealedSecretError) return [finding('note', 'database_sealed')];
    const code = failed instanceof StoreOpenError ? failed.code : 'unknown';
    return [finding('problem', 'database_unopened', { code })];
  }
  const found: Finding[] = [];
  if (store.health().read_only !== null) found.push(finding('problem', 'read_only'));
  if (store.engine !== 'sqlite') return [...found, finding('ok', 'database_outside')];
  const file = databaseFile(folder);
  const problems = await countDamage(file);
  // What was committed last is beside the file until it is moved into it.
  const bytes = ['', '-wal'].map(
    (end) => statSync(file + end, { throwIfNoEntry: false })?.size ?? 0,
  );
  const size = Number((bytes.reduce((sum, part) => sum + part, 0) / 1e6).toFixed(1));
  if (problems > 0) return [...found, finding('problem', 'database_damaged', { problems })];
  return [...found, finding('ok', 'database_ok', { size }), ...(await examineLogs(store))];
}

/** How many places SQLite finds damaged. The whole file is read, beside whoever uses it. */
async function countDamage(file: string): Promise<number> {
  try {
    return await inThread((Database, name) => {
      const database = new Database(name, { readOnly: true });
      try {
        const rows = ['integrity_check', 'foreign_key_check'].flatMap((check) =>
          database.prepare(`PRAGMA ${check}`).all(),
        );
        return rows.filter((row) => Object.values(row)[0] !== 'ok').length;
      } finally {
        database.close();
      }
    }, file);
  } catch {
    return 1;
  }
}

async function examineLogs(store: Store): Promise<Finding[]> {
  const { ok, events, changes, problems } = await verifyChains(store, nodeHasher, undefined);
  if (!ok) return [finding('problem', 'chains_broken', { problems: problems.length })];
  return [finding('ok', 'chains_ok', { events, changes })];
}

/** Nothing can have been recorded later than now. */
async function examineClock({ store, now }: Examined): Promise<Finding[]> {
  if (store === undefined || 'failed' in store) return [];
  const { account_id } = store.local;
  const last = await store.read(async (reader) => {
    const { seq } = await reader.auditTrail.head(account_id);
    if (seq === AUDIT_START.seq) return undefined;
    return (await reader.auditTrail.after(account_id, seq - 1, 1))[0];
  }, EVERY_ACCOUNT);
  const ahead = last === undefined ? 0 : Date.parse(last.at) - now();
  if (ahead < MINUTE) return [finding('ok', 'clock_ok')];
  return [finding('problem', 'clock_behind', { minutes: Math.ceil(ahead / MINUTE) })];
}

function examineKeys({ folder, secretProblem }: Examined): Finding[] {
  const clear = path.join(folder, 'pepper.key');
  if (secretProblem !== null) return [finding('problem', 'keys_closed')];
  if (existsSync(path.join(folder, 'pepper.sealed'))) return [finding('ok', 'keys_ok')];
  if (!existsSync(clear)) return [];
  if (process.platform !== 'win32' && (statSync(clear).mode & 0o077) !== 0)
    return [finding('problem', 'keys_file_open')];
  return [finding('ok', 'keys_in_file')];
}

function examineBackups({ folder, store }: Examined): Finding[] {
  if (store === undefined || (!('failed' in store) && store.engine !== 'sqlite')) return [];
  const files = listBackups(folder);
  const [newest] = files;
  if (newest === undefined) return [finding('note', 'backups_none')];
  const time = statSync(newest).mtime.toISOString();
  return [finding('ok', 'backups_ok', { count: files.length, newest: time })];
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

async function examineServer({ server, port }: Examined): Promise<Finding[]> {
  if (server?.answers === true) return [finding('ok', 'server_running', { url: server.url })];
  if (server !== undefined) return [finding('note', 'server_silent', { url: server.url })];
  if (await isFree(port)) return [finding('ok', 'server_none', { port })];
  return [finding('note', 'port_taken', { port })];
}

const PROXIES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
];
const AUTHORITIES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Names of variables alone: their values may hold a password. */
function examineNetwork({ env }: Examined): Finding[] {
  const set = (names: readonly string[]): string =>
    names.filter((name) => (env[name] ?? '') !== '').join(', ');
  const [proxies, authorities] = [set(PROXIES), set(AUTHORITIES)];
  return [
    proxies === '' ? finding('ok', 'proxy_none') : finding('note', 'proxy_set', { names: proxies }),
    ...(authorities === '' ? [] : [finding('note', 'authorities_added', { names: authorities })]),
  ];
}

const Described = z.object({ info: z.object({ version: z.string().max(100) }) });

/** The code of a failed request, which is often in what caused it. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause, message, name } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return /net::[A-Z_]+/.exec(message)?.[0] ?? name;
}

async function examineHosted({ uplink, fetch, now }: Examined): Promise<Finding[]> {
  const url = uplink?.connection?.url;
  if (url === undefined) return [finding('ok', 'hosted_none')];
  try {
    const response = await fetch(new URL('/api/v1/openapi.json', url).href, {
      signal: AbortSignal.timeout(HOSTED_WITHIN_MS),
    });
    const { version } = Described.parse(await response.json()).info;
    const stated = Date.parse(response.headers.get('date') ?? '');
    const seconds = Number.isNaN(stated) ? 0 : Math.round((stated - now()) / 1_000);
    if (Math.abs(seconds) > SKEW) return [finding('problem', 'hosted_clock', { url, seconds })];
    return [finding('ok', 'hosted_ok', { url, version, seconds })];
  } catch (error) {
    return [finding('problem', 'hosted_unreachable', { url, code: codeOf(error) })];
  }
}

function examineWaiting({ uplink }: Examined): Finding[] {
  if (uplink === undefined || uplink.connection === null) return [];
  const { waiting, oldest, blocked } = uplink.totals;
  return [
    waiting === 0
      ? finding('ok', 'waiting_none')
      : finding('note', 'waiting', { count: waiting, since: oldest ?? '' }),
    ...(blocked === 0 ? [] : [finding('problem', 'blocked', { count: blocked })]),
  ];
}

/** Looks at everything that a studio depends on, and changes nothing. */
export async function examine(studio: Examined): Promise<DoctorReport> {
  const findings = [
    ...examineFolder(studio.folder),
    ...(await examineDatabase(studio)),
    ...examineBackups(studio),
    ...(await examineClock(studio)),
    ...examineKeys(studio),
    ...(await examineServer(studio)),
    ...examineNetwork(studio),
    ...(await examineHosted(studio)),
    ...examineWaiting(studio),
  ];
  const { electron, node, sqlite = 'unknown' } = process.versions;
  return {
    made_at: new Date(studio.now()).toISOString(),
    version: studio.version,
    runtime: electron === undefined ? `Node ${node}` : `Electron ${electron}, Node ${node}`,
    system: `${process.platform} ${process.arch}`,
    sqlite,
    ok: findings.every(({ state }) => state !== 'problem'),
    findings,
  };
}
