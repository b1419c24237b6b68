import type { Failure } from '../../shared/contract/call.ts';
import type { UnsentChoice, UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import type { Timers } from '../../sync/loop.ts';
import { parseKey } from '../auth/keys.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import { describeError } from '../instance/logger.ts';
import { Mutex } from '../storage/db/mutex.ts';
import { parseAddress } from './address.ts';
import { createHostedClient, type HostedClient, type Traffic } from './client.ts';
import { diagnose, FailureLog } from './diagnostics.ts';
import { Engine } from './engine.ts';
import { refuseWithout, settleOthers } from './former-work.ts';
import { greet, type Greeting } from './greeting.ts';
import type { KeyKeeper } from './key-keeper.ts';
import type { Uplink } from '../context/uplink.ts';
import { ownAddresses, watchForSleep } from './sleep.ts';
import { statusOf } from './status.ts';
import { failureSentence, FOREIGN, NO_KEY, TOO_OLD } from './words.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';
import type { UnsentOf } from '../storage/replication/unsent.ts';
import type { Writer } from '../storage/repositories.ts';

const CONNECT_MS = 20_000;

export interface UplinkPorts extends Pick<
  Deps,
  'store' | 'clock' | 'random' | 'hasher' | 'home' | 'version' | 'logger'
> {
  keeper: KeyKeeper;
  /** Identifies this process in link rows. */
  boot: string;
  fetch: typeof globalThis.fetch;
}

const refuseInput = (path: string, message: string): ApiError =>
  new ApiError('validation_failed', { details: [{ path, code: 'invalid_value', message }] });
const noConnection = (path: string, code: string, message: string): ApiError =>
  new ApiError('no_connection', { message, details: [{ path, code, message }] });

function whyNot(failure: Failure): ApiError {
  if (failure.kind === 'refused' && failure.status === 401)
    return noConnection('/key', failure.code, 'The server does not accept this key.');
  if (failure.kind === 'refused' && (failure.status === 404 || failure.status === 403))
    return noConnection(
      '/url',
      failure.code,
      'What answers at this address is no Evidence Studio that serves it.',
    );
  if (failure.kind === 'unreadable') return noConnection('/url', 'not_the_server', FOREIGN);
  return noConnection(
    '/url',
    failure.kind === 'refused' ? failure.code : failure.reason,
    failureSentence(failure),
  );
}

function systemTimers({ clock, random }: Pick<UplinkPorts, 'clock' | 'random'>): Timers {
  return {
    now: () => clock.now(),
    elapsed: () => performance.now(),
    random: () => (random.bytes(1)[0] as number) / 256,
    after(ms, callback) {
      const timer = setTimeout(callback, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

export function createUplink(ports: UplinkPorts): Uplink {
  const { store, clock, keeper, logger } = ports;
  const traffic: Traffic = { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 };
  const failures = new FailureLog(() => clock.now());
  const turn = new Mutex();
  let uplink: StoredUplink | undefined;
  let engine: Engine | undefined;
  let problem: string | null = null;
  /** The key of the present connection, wherever it is kept. */
  let ownKey: string | undefined;
  let stopWatching: (() => void) | undefined;

  const clientOf = (origin: string, key: string, gzip: boolean): HostedClient =>
    createHostedClient({ origin, key, gzip }, { fetch: ports.fetch, traffic });
  const status = (): Promise<UplinkStatus> => {
    engine?.attended();
    return statusOf(store, { uplink, engine, problem });
  };

  async function stopEngine(): Promise<void> {
    const former = engine;
    engine = undefined;
    await former?.close();
  }

  async function startEngine(stored: StoredUplink, key: string): Promise<void> {
    const mayStandFor = new Set(await store.read((reader) => reader.uplink.sentFor(stored)));
    problem = null;
    engine = new Engine({
      store,
      hasher: ports.hasher,
      timers: systemTimers(ports),
      boot: ports.boot,
      version: ports.version,
      client: clientOf(stored.url, key, true),
      hostedStore: stored.store,
      mayStandFor,
      failed: (stream, operation, failure) => failures.note(stream, operation, failure),
      unforeseen: (error) =>
        logger.error(
          { error: describeError(error) },
          'the exchange with the hosted server met an error',
        ),
      learned: (facts) =>
        void learn(facts).catch((error: unknown) =>
          logger.error(
            { error: describeError(error) },
            'the role at the hosted server was not noted',
          ),
        ),
    });
  }

  async function learn({ epoch, role }: Pick<StoredUplink, 'epoch' | 'role'>): Promise<void> {
    if (uplink === undefined || (uplink.epoch === epoch && uplink.role === role)) return;
    uplink = { ...uplink, epoch, role };
    const next = uplink;
    await store.transact((writer) => writer.uplinkWrites.write(next));
  }

  async function meet(origin: string, key: string): Promise<Greeting> {
    const greeted = await greet(
      clientOf(origin, key, false),
      () => clock.now(),
      AbortSignal.timeout(CONNECT_MS),
    );
    if (greeted.kind === 'too_old') throw noConnection('/url', 'protocol', TOO_OLD);
    if (greeted.kind === 'failed') throw whyNot(greeted.failure);
    if (greeted.greeting.store === store.storeId)
      throw noConnection('/url', 'this_studio', 'This is the address of this studio itself.');
    // A key that may only read sends nothing, so that it need not be a studio's.
    if (!greeted.greeting.studio && greeted.greeting.role !== 'viewer')
      throw noConnection(
        '/key',
        'not_a_studio',
        'This is a key for a program. On the hosted server choose "Connect a studio" on the account page, and use the key that is shown there.',
      );
    return greeted.greeting;
  }

  async function connect(
    target: { url: string; key: string; unsent?: UnsentChoice },
    by: AuditOrigin,
  ): Promise<UplinkStatus> {
    const address = parseAddress(target.url);
    const key = target.key.trim();
    if ('problem' in address) throw refuseInput('/url', address.problem);
    if (parseKey(key) === undefined)
      throw refuseInput(
        '/key',
        'Must be a key as the hosted server showed it once: evs_ and 49 characters.',
      );
    const greeting = await meet(address.origin, key);
    const { account_id } = store.local;
    const facts = {
      url: address.origin,
      store: greeting.store,
      epoch: greeting.epoch,
      user_id: greeting.user_id,
      user_name: greeting.user_name,
      role: greeting.role,
      connected_at: new Date(clock.now()).toISOString(),
      connected: true,
    };
    await stopEngine();
    try {
      uplink = await store.transact(async (writer) => {
        const former = await writer.uplink.read();
        const others =
          former === undefined ? [] : await unsentBeside(writer, former, facts.user_id);
        refuseWithout(target.unsent, others);
        const next = { ...facts, ...(await keeper.keep(facts.url, key)) };
        if (former !== undefined && former.store !== next.store)
          await writer.uplinkWrites.restartLinks(account_id);
        await writer.uplinkWrites.become(next);
        await writer.uplinkWrites.write(next);
        const nonce = () => Buffer.from(ports.random.bytes(16)).toString('hex');
        await settleOthers(target.unsent, others, {
          writer,
          account: account_id,
          person: next,
          hasher: ports.hasher,
          now: clock.now(),
          nonce,
        });
        await writer.uplinkWrites.takeBack(account_id, await writer.uplink.sentFor(next));
        writer.audit.by(by);
        const consent: Record<string, string | string[] | number> =
          others.length === 0 || target.unsent === undefined
            ? {}
            : {
                unsent: target.unsent,
                of: others.map(({ user_id }) => user_id),
                changes: others.reduce((sum, { changes }) => sum + changes.length, 0),
              };
        writer.audit.add({
          action: 'uplink.connected',
          object: next.store,
          detail: {
            url: next.url,
            user_id: next.user_id,
            name: next.user_name,
            role: next.role,
            ...consent,
          },
        });
        return next;
      });
    } catch (error) {
      await resume();
      throw error;
    }
    ownKey = key;
    await startEngine(uplink, key);
    return status();
  }

  /** Unsent work of users whom a key of `userId` does not stand for. */
  async function unsentBeside(
    writer: Writer,
    former: StoredUplink,
    userId: string,
  ): Promise<UnsentOf[]> {
    if (former.user_id === userId) return [];
    const users = [
      userId,
      ...(await writer.uplink.sentFor(former)).filter((user) => user !== former.user_id),
    ];
    return writer.uplink.ofOthers(store.local.account_id, users);
  }

  async function resume(): Promise<void> {
    if (uplink?.connected !== true) return;
    ownKey ??= await keeper.recall(uplink);
    if (ownKey === undefined) problem = NO_KEY;
    else await startEngine(uplink, ownKey);
  }

  return {
    async start() {
      await turn.run(async () => {
        uplink = await store.read((reader) => reader.uplink.read());
        if (store.health().read_only === null) await resume();
        // After a sleep or on another network, the next turn begins at once.
        stopWatching = watchForSleep(systemTimers(ports), ownAddresses, () => engine?.wake());
      });
    },
    status,
    connect: (target, by) => turn.run(() => connect(target, by)),
    disconnect: (by) =>
      turn.run(async () => {
        await stopEngine();
        keeper.forget();
        ownKey = undefined;
        problem = null;
        if (uplink !== undefined) {
          const next: StoredUplink = {
            ...uplink,
            connected: false,
            sealed_key: null,
            key_kept: 'memory',
          };
          await store.transact(async (writer) => {
            await writer.uplinkWrites.write(next);
            writer.audit.by(by);
            writer.audit.add({
              action: 'uplink.disconnected',
              object: next.store,
              detail: { url: next.url },
            });
          });
          uplink = next;
        }
        return status();
      }),
    share: (projectId, shared, by) =>
      turn.run(async () => {
        const { account_id } = store.local;
        if (uplink?.connected !== true)
          throw new ApiError('conflict', { message: 'Connect to a hosted server first.' });
        const here = (await store.read((reader) => reader.uplink.projects(account_id))).some(
          (project) => project.project_id === projectId,
        );
        if (!here && engine?.positions.projects.has(projectId) !== true)
          throw new ApiError('not_found');
        const { store: hosted } = uplink;
        await store.transact(async (writer) => {
          await writer.uplinkWrites.share(account_id, projectId, shared);
          writer.audit.by(by);
          writer.audit.add({
            action: shared ? 'project.shared' : 'project.unshared',
            object: projectId,
            detail: { store: hosted },
          });
        });
        engine?.replan();
        return status();
      }),
    async sync() {
      engine?.wake();
      return status();
    },
    diagnostics: async () =>
      diagnose(
        { ...ports, now: () => clock.now() },
        { uplink, engine, problem },
        await status(),
        traffic,
        failures,
      ),
    close: () =>
      turn.run(async () => {
        stopWatching?.();
        await stopEngine();
      }),
  };
}
