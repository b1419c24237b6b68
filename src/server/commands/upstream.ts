import type { ProjectId } from '../../shared/contract/ids.ts';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { failureText, pathOf, readAnswer } from '../../shared/contract/call.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { ErrorDetail } from '../../shared/contract/errors.ts';
import {
  connectUplink,
  disconnectUplink,
  getUplink,
  shareProject,
  UplinkStatus,
} from '../../shared/contract/v1/uplink.ts';
import { operatorOrigin } from '../audit/entries.ts';
import { createCookies, hashOf, mintToken } from '../auth/session.ts';
import { openData } from '../open-data.ts';
import { composeServer } from '../compose.ts';
import { dataFolder, databaseFile } from '../instance/data-folder.ts';
import { ApiError } from '../context/errors.ts';
import { statusOf } from '../uplink/status.ts';
import type { Uplink } from '../context/uplink.ts';
import { nodeFetch } from '../network/node-fetch.ts';
import { CommandError } from './command.ts';
import { provenServer } from './running.ts';
import { aboutAccount } from '../storage/about-account.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';

/** Longer than any command takes. */
const SESSION_MS = 5 * 60_000;
const HOSTED = 'This data is a hosted server’s: it is connected to no other.';

/**
 * What the command line asks of the upstream connection: of the running server where there is one,
 * else of the store.
 */
export interface UpstreamCommands {
  running: boolean;
  connect(target: { url: string; key: string }): Promise<UplinkStatus>;
  disconnect(): Promise<UplinkStatus>;
  share(projectId: ProjectId, shared: boolean): Promise<UplinkStatus>;
  status(): Promise<UplinkStatus>;
}

const sentence = (message: string, details: readonly ErrorDetail[]): CommandError =>
  new CommandError(
    [message, ...details.map((detail) => detail.message)]
      .filter((part, at, all) => all.indexOf(part) === at)
      .join(' '),
  );

/** A session of this command's own, for `work`, which takes its cookie. */
async function withSession<T>(folder: string, work: (cookie: string) => Promise<T>): Promise<T> {
  await using data = await openData(folder);
  const { account_id, user_id } = data.store.local;
  const token = mintToken(data.random);
  const hash = hashOf(token);
  const expires_at = new Date(data.clock.now() + SESSION_MS).toISOString();
  await data.store.transact(
    (writer) =>
      writer.sessionWrites.create(hash, {
        account_id,
        user_id,
        address: '',
        browser: 'evidence-studio',
        method: 'link',
        expires_at,
      }),
    account_id,
  );
  try {
    return await work(createCookies('local').session.set(token, SESSION_MS).split(';')[0] ?? '');
  } finally {
    await data.store.transact((writer) => writer.sessionWrites.remove(hash), account_id);
  }
}

async function callServer(
  { url, cookie }: { url: string; cookie: string },
  endpoint: Endpoint,
  { body, params = {} }: { body?: unknown; params?: Record<string, string> } = {},
): Promise<UplinkStatus> {
  const headers = { cookie, origin: url };
  const sent =
    body === undefined
      ? { headers }
      : {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  const response = await nodeFetch(url + pathOf(endpoint, params), {
    method: endpoint.method,
    ...sent,
  });
  const answer = readAnswer(endpoint, {
    status: response.status,
    value: await response.json(),
    retryAfter: null,
  });
  if (answer.kind !== 'ok')
    throw answer.kind === 'refused'
      ? sentence(answer.message, answer.details)
      : new CommandError(failureText(answer));
  return UplinkStatus.parse(answer.body);
}

/**
 * The running server is asked as its person, in a session of this command's own that ends with it.
 */
function beside<T>(
  folder: string,
  url: string,
  ask: (upstream: UpstreamCommands) => Promise<T>,
): Promise<T> {
  return withSession(folder, (cookie) => {
    const server = { url, cookie };
    return ask({
      running: true,
      connect: (target) => callServer(server, connectUplink, { body: target }),
      disconnect: () => callServer(server, disconnectUplink),
      status: () => callServer(server, getUplink),
      share: (projectId, shared) =>
        callServer(server, shareProject, { body: { shared }, params: { projectId } }),
    });
  });
}

/** Without a server, this process is the folder's own for as long as the command takes. */
async function alone<T>(
  folder: string,
  ask: (upstream: UpstreamCommands) => Promise<T>,
): Promise<T> {
  const composed = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined });
  const { uplink, store } = composed.deps;
  try {
    if (uplink === undefined) throw new CommandError(HOSTED);
    await uplink.start();
    const by = operatorOrigin(store);
    return await ask({ running: false, status: () => uplink.status(), ...orders(uplink, by) });
  } catch (error) {
    throw error instanceof ApiError ? sentence(error.message, error.details) : error;
  } finally {
    await composed.close();
  }
}

const orders = (
  uplink: Uplink,
  by: AuditOrigin,
): Pick<UpstreamCommands, 'connect' | 'disconnect' | 'share'> => ({
  connect: (target) => uplink.connect(target, by),
  disconnect: () => uplink.disconnect(by),
  share: (projectId, shared) => uplink.share(projectId, shared, by),
});

export async function withUpstream<T>(
  asked: string | undefined,
  ask: (upstream: UpstreamCommands) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(asked);
  const running = await provenServer(folder);
  if (running !== undefined && !running.url.startsWith('http:')) throw new CommandError(HOSTED);
  return running === undefined ? alone(folder, ask) : beside(folder, running.url, ask);
}

/**
 * The state of the upstream connection: as the running server says, or as it was left. Undefined
 * where there is none, as on a hosted server, or no data yet.
 */
export async function upstreamStatus(
  folder: string,
  url: string | undefined,
): Promise<UplinkStatus | undefined> {
  if (url?.startsWith('https:') === true || !existsSync(databaseFile(folder))) return undefined;
  if (url !== undefined) return beside(folder, url, (upstream) => upstream.status());
  await using data = await openData(folder);
  if (data.store.engine !== 'sqlite') return undefined;
  const uplink = await data.store.read((reader) => reader.uplink.read());
  const store = aboutAccount(data.store, data.store.local.account_id);
  return statusOf(store, { uplink, engine: undefined, problem: null });
}

/** The upstream connection in a few lines. */
export function upstreamWords({
  connection,
  state,
  totals,
  problem,
  warning,
  projects,
}: UplinkStatus): string {
  if (connection === null) return 'Not connected to a hosted server.';
  const shared = projects.filter((project) => project.shared).length;
  const waits =
    totals.waiting === 0
      ? 'nothing waits'
      : `${totals.waiting} changes wait, the oldest since ${totals.oldest ?? 'unknown'}`;
  const lines = [
    `Connected to ${connection.url} as ${connection.user.name} (${connection.user.role}): ${state}, ${shared} projects shared, ${waits}.`,
  ];
  if (totals.blocked > 0) lines.push(`${totals.blocked} are set aside until somebody acts.`);
  if (totals.quarantined > 0) lines.push(`${totals.quarantined} are kept without being applied.`);
  if (problem !== null) lines.push(`Problem: ${problem}`);
  if (warning !== null) lines.push(`Warning: ${warning}`);
  return lines.join('\n');
}

/** Nobody needs more of standard input for a key. */
const MAX_TYPED = 1_000;

/**
 * The key as it is typed, unseen, or as standard input brings it. Arguments are seen by every user
 * of a computer.
 */
export async function readKey(signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) {
    let given = '';
    for await (const chunk of process.stdin) {
      given += String(chunk);
      if (given.length > MAX_TYPED) break;
    }
    if (given.trim() === '')
      throw new CommandError('Give the key of the hosted server on standard input.');
    return given.trim();
  }
  const ended = new AbortController();
  const lines = createInterface({
    input: process.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
  });
  lines.once('SIGINT', () => ended.abort());
  process.stderr.write('Key of the hosted server (it is not shown): ');
  try {
    return (await lines.question('', { signal: AbortSignal.any([signal, ended.signal]) })).trim();
  } catch {
    throw new CommandError('No key was given. Nothing was changed.');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
