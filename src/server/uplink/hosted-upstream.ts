import type { CallResult } from '../../shared/contract/call.ts';
import { PROTOCOL, SYNC_LIMITS, type WireChange } from '../../shared/contract/sync.ts';
import type { Batched } from '../../shared/contract/sync-batch.ts';
import type { Driven, Sendable, Upstream } from '../../sync/driver/ports.ts';
import { RULES } from '../../sync/driver/rules.ts';
import { type LinkRow, type PushReply, witnessOf } from '../../sync/link.ts';
import type { LogCursor } from '../../sync/log.ts';
import type { UpstreamConnection, LinkState } from './connection.ts';
import type { LogRequests } from './log-requests.ts';
import { type PulledPage, StoredLink } from './stored-link.ts';

/** One log of the hosted server, as the replication driver sees it. */
class HostedUpstream implements Upstream<PushReply, PulledPage> {
  readonly #connection: UpstreamConnection;
  readonly #link: LinkState;

  constructor(connection: UpstreamConnection, link: LinkState) {
    this.#connection = connection;
    this.#link = link;
  }

  async #ask<O extends Batched>(
    operation: O,
    row: LinkRow | undefined,
    input: Parameters<typeof LogRequests.prototype.call<O>>[3],
  ) {
    const witness = row && witnessOf(row)['sync-witness'];
    const { stream } = this.#link;
    this.#link.pace.asked();
    const result = await this.#connection.logs.call(operation, stream, witness, input);
    if (result.kind !== 'ok') this.#connection.failed(stream, operation, result);
    return result;
  }

  push(batch: readonly WireChange[], row: LinkRow): Promise<CallResult<PushReply>> {
    const sent = batch.map(({ id, change }) => ({ id, change }));
    return this.#ask('push', row, { body: { protocol: PROTOCOL, changes: sent } });
  }
  missing(ids: readonly string[], row: LinkRow) {
    return this.#ask('missing', row, { body: { ids: [...ids] } });
  }
  changes(limit: number, row: LinkRow) {
    const query = { after: String(row.pull_seq), limit: String(limit) };
    return this.#ask('changes', row, { query });
  }
  ancestor(points: readonly LogCursor[]) {
    return this.#ask('ancestor', undefined, { body: { points: [...points] } });
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
    upstream: new HostedUpstream(connection, link),
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
