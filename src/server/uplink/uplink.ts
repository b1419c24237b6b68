import type {
  LinkStatus,
  UnsentChoice,
  UplinkDiagnostics,
  UplinkStatus,
} from '../../shared/contract/v1/uplink.ts';
import type { Timers } from '../../sync/loop.ts';
import { ApiError } from '../context/errors.ts';
import type { Uplink } from '../context/uplink.ts';
import { describeError } from '../instance/logger.ts';
import { aboutAccount } from '../storage/about-account.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import { Mutex } from '../storage/db/mutex.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';
import { createHostedClient, type HostedClient, type Traffic } from './client.ts';
import { checkedTarget, meet, storeConnection, storeDisconnection } from './connecting.ts';
import { diagnose, FailureLog } from './diagnostics.ts';
import { SyncEngine } from './engine.ts';
import { ownAddresses, watchForSleep } from './sleep.ts';
import { type Situation, statusOf, wholeStatus } from './status.ts';
import { UpstreamPresence } from './presence.ts';
import type { UplinkPorts } from './uplink-ports.ts';
import { NO_KEY } from './words.ts';
import type { ProjectId } from '../../shared/contract/ids.ts';

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

/** The sync of a studio with a hosted server: connecting, sharing, and its engine. */
class StudioUplink implements Uplink {
  readonly #ports: UplinkPorts;
  readonly presence = new UpstreamPresence();
  readonly #traffic: Traffic = { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 };
  readonly #failures: FailureLog;
  /** Changes of the connection run one after the other. */
  readonly #changing = new Mutex();
  #uplink: StoredUplink | undefined;
  #engine: SyncEngine | undefined;
  #problem: string | null = null;
  /** The key of the present connection, wherever it is kept. */
  #ownKey: string | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(ports: UplinkPorts) {
    const { store } = ports;
    this.#ports = { ...ports, store: aboutAccount(store, store.local.account_id) };
    this.#failures = new FailureLog(() => ports.clock.now());
  }

  async start(): Promise<void> {
    await this.#changing.run(async () => {
      const { store } = this.#ports;
      this.#uplink = await store.read((reader) => reader.uplink.read());
      if (store.health().read_only === null) await this.#resume();
      // After a sleep or on another network, the next cycle begins at once.
      this.#stopWatching = watchForSleep(systemTimers(this.#ports), ownAddresses, () =>
        this.#engine?.wake(),
      );
    });
  }

  status(): Promise<UplinkStatus> {
    this.#engine?.attended();
    return statusOf(this.#ports.store, this.#situation);
  }
  async links(): Promise<LinkStatus[]> {
    this.#engine?.attended();
    return (await wholeStatus(this.#ports.store, this.#situation)).links;
  }
  get #situation(): Situation {
    return { uplink: this.#uplink, engine: this.#engine, problem: this.#problem };
  }

  connect(
    target: { url: string; key: string; unsent?: UnsentChoice },
    by: AuditOrigin,
  ): Promise<UplinkStatus> {
    return this.#changing.run(async () => {
      const { url, key } = checkedTarget(target);
      const handshake = await meet(this.#ports, this.#clientOf(url, key, false));
      await this.#stopEngine();
      try {
        this.#uplink = await storeConnection(
          this.#ports,
          { url, key, unsent: target.unsent, handshake },
          by,
        );
      } catch (error) {
        await this.#resume();
        throw error;
      }
      this.#ownKey = key;
      await this.#startEngine(this.#uplink, key);
      return this.status();
    });
  }

  disconnect(by: AuditOrigin): Promise<UplinkStatus> {
    return this.#changing.run(async () => {
      await this.#stopEngine();
      this.#ports.keyStore.forget();
      this.#ownKey = undefined;
      this.#problem = null;
      if (this.#uplink !== undefined)
        this.#uplink = await storeDisconnection(this.#ports.store, this.#uplink, by);
      return this.status();
    });
  }

  share(projectId: ProjectId, shared: boolean, by: AuditOrigin): Promise<UplinkStatus> {
    return this.#changing.run(async () => {
      const { store } = this.#ports;
      const { account_id } = store.local;
      if (this.#uplink?.connected !== true)
        throw new ApiError('conflict', { message: 'Connect to a hosted server first.' });
      const here = (await store.read((reader) => reader.uplink.projects(account_id))).some(
        (project) => project.project_id === projectId,
      );
      if (!here && this.#engine?.positions.projects.has(projectId) !== true)
        throw new ApiError('not_found');
      const { store: hosted } = this.#uplink;
      // What is under way would go on with a project that is switched off.
      const before = this.#engine;
      if (!shared) await this.#stopEngine();
      try {
        await store.transact(async (writer) => {
          await writer.uplinkWrites.share(account_id, projectId, shared);
          writer.audit.by(by);
          writer.audit.add({
            action: shared ? 'project.shared' : 'project.unshared',
            object: projectId,
            detail: { store: hosted },
          });
        });
      } finally {
        if (!shared) await this.#resume(before);
      }
      this.#engine?.replan();
      return this.status();
    });
  }

  async sync(): Promise<UplinkStatus> {
    this.#engine?.wake();
    return this.status();
  }

  async diagnostics(): Promise<UplinkDiagnostics> {
    const ports = { ...this.#ports, now: () => this.#ports.clock.now() };
    this.#engine?.attended();
    const status = await wholeStatus(ports.store, this.#situation);
    return diagnose(ports, this.#situation, status, this.#traffic, this.#failures);
  }

  close(): Promise<void> {
    return this.#changing.run(async () => {
      this.#stopWatching?.();
      await this.#stopEngine();
    });
  }

  #clientOf(origin: string, key: string, gzip: boolean): HostedClient {
    const { fetch } = this.#ports;
    return createHostedClient({ origin, key, gzip }, { fetch, traffic: this.#traffic });
  }

  async #stopEngine(): Promise<void> {
    const stopped = this.#engine;
    this.#engine = undefined;
    await stopped?.close();
  }

  /** `before`: the engine that was stopped, for what it knew of the other side. */
  async #resume(before?: SyncEngine): Promise<void> {
    if (this.#uplink?.connected !== true) return;
    this.#ownKey ??= await this.#ports.keyStore.recall(this.#uplink);
    if (this.#ownKey === undefined) this.#problem = NO_KEY;
    else await this.#startEngine(this.#uplink, this.#ownKey, before);
  }

  async #startEngine(stored: StoredUplink, key: string, before?: SyncEngine): Promise<void> {
    const { store, logger, hasher, boot, version } = this.#ports;
    const mayStandFor = new Set(await store.read((reader) => reader.uplink.sentFor(stored)));
    const log = (message: string) => (error: unknown) =>
      logger.error({ error: describeError(error) }, message);
    this.#problem = null;
    this.#engine = new SyncEngine({
      store,
      hasher,
      timers: systemTimers(this.#ports),
      boot,
      version,
      presence: this.presence,
      client: this.#clientOf(stored.url, key, true),
      hostedStore: stored.store,
      mayStandFor,
      before,
      failed: (stream, operation, failure) => this.#failures.note(stream, operation, failure),
      unforeseen: log('unexpected error in the sync with the hosted server'),
      learned: (facts) =>
        void this.#learn(facts).catch(log('the role at the hosted server was not noted')),
    });
  }

  async #learn({ epoch, role }: Pick<StoredUplink, 'epoch' | 'role'>): Promise<void> {
    const uplink = this.#uplink;
    if (uplink === undefined || (uplink.epoch === epoch && uplink.role === role)) return;
    const next = { ...uplink, epoch, role };
    this.#uplink = next;
    await this.#ports.store.transact((writer) => writer.uplinkWrites.write(next));
  }
}

export const createUplink = (ports: UplinkPorts): Uplink => new StudioUplink(ports);
