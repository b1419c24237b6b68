import type { StreamName } from '../../shared/contract/ids.ts';
import type { CallResult } from '../../shared/contract/call.ts';
import {
  ancestor,
  changes,
  missing,
  PROTOCOL,
  push,
  SYNC_LIMITS,
  type WireChange,
} from '../../shared/contract/sync.ts';
import type { Driven, Sendable, Upstream } from '../../sync/driver/ports.ts';
import { RULES } from '../../sync/driver/rules.ts';
import { type LinkRow, type PushReply, witnessOf } from '../../sync/link.ts';
import type { LogCursor } from '../../sync/log.ts';
import type { UpstreamConnection, LinkState } from './connection.ts';
import { type PulledPage, StoredLink } from './stored-link.ts';

/** One log of the hosted server, as the replication driver sees it. */
class HostedUpstream implements Upstream<PushReply, PulledPage> {
  readonly #connection: UpstreamConnection;
  readonly #stream: StreamName;

  constructor(connection: UpstreamConnection, stream: StreamName) {
    this.#connection = connection;
    this.#stream = stream;
  }

  get #about() {
    return { params: { caseUid: this.#stream }, signal: this.#connection.signal };
  }
  #noted<T>(operation: string, result: CallResult<T>): CallResult<T> {
    if (result.kind !== 'ok') this.#connection.failed(this.#stream, operation, result);
    return result;
  }

  async push(batch: readonly WireChange[], row: LinkRow): Promise<CallResult<PushReply>> {
    const sent = batch.map(({ id, change }) => ({ id, change }));
    const body = { protocol: PROTOCOL, changes: sent } as const;
    const headers = witnessOf(row);
    return this.#noted(
      'push',
      await this.#connection.client.call(push, { ...this.#about, headers, body }),
    );
  }
  async missing(ids: readonly string[], row: LinkRow) {
    const headers = witnessOf(row);
    return this.#noted(
      'missing',
      await this.#connection.client.call(missing, {
        ...this.#about,
        headers,
        body: { ids: [...ids] },
      }),
    );
  }
  async changes(limit: number, row: LinkRow) {
    const query = { after: String(row.pull_seq), limit: String(limit) };
    const headers = witnessOf(row);
    return this.#noted(
      'changes',
      await this.#connection.client.call(changes, { ...this.#about, headers, query }),
    );
  }
  async ancestor(points: readonly LogCursor[]) {
    return this.#noted(
      'ancestor',
      await this.#connection.client.call(ancestor, {
        ...this.#about,
        body: { points: [...points] },
      }),
    );
  }
  answers(): Promise<boolean> {
    return this.#connection.answers();
  }
  takesOthers(): Promise<boolean> {
    return this.#connection.isStudio();
  }
}

/** The replication driver's view of one link of this store with the hosted server. */
export function drivenBy(
  connection: UpstreamConnection,
  link: LinkState,
): Driven<Sendable, PushReply, PulledPage> {
  return {
    store: new StoredLink(connection, link),
    upstream: new HostedUpstream(connection, link.stream),
    state: link,
    hasher: connection.hasher,
    mostChanges: SYNC_LIMITS.changes,
    get versions() {
      return connection.versions();
    },
    now: () => connection.now(),
    elapsed: () => connection.elapsed(),
    get ended() {
      return connection.signal.aborted;
    },
    rules: RULES,
  };
}
