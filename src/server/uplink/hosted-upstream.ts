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

const markOf = (row: LinkRow | undefined): string | undefined =>
  row && witnessOf(row)['sync-witness'];
const pageInput = (after: number, limit: number) => ({
  query: { after: String(after), limit: String(limit) },
});

/** Most changes of a push beside which a page is asked for: others are likely to follow more. */
const FEW = 50;

/** A page that was asked for in one request with a push, which the other side carries out first. */
interface PageBeside {
  after: number;
  limit: number;
  /** Where the other side's log stood after that push; 0 where it was not taken. */
  pushedTo: number;
  result: Promise<CallResult<PulledPage> | undefined>;
}

/** One log of the hosted server, as the replication driver sees it. */
class HostedUpstream implements Upstream<PushReply, PulledPage> {
  readonly #connection: UpstreamConnection;
  readonly #link: LinkState;
  /** The other side is known to have changes that are to be read after what is sent. */
  readonly #hasNews: boolean;
  #beside: PageBeside | undefined;

  constructor(connection: UpstreamConnection, link: LinkState, hasNews: boolean) {
    this.#connection = connection;
    this.#link = link;
    this.#hasNews = hasNews;
  }

  async #ask<O extends Batched>(
    operation: O,
    row: LinkRow | undefined,
    input: Parameters<typeof LogRequests.prototype.call<O>>[3],
  ) {
    const { stream } = this.#link;
    this.#beside = undefined;
    this.#link.pace.asked();
    const result = await this.#connection.logs.call(operation, stream, markOf(row), input);
    if (result.kind !== 'ok') this.#connection.failed(stream, operation, result);
    return result;
  }

  async push(batch: readonly WireChange[], row: LinkRow): Promise<CallResult<PushReply>> {
    const changes = batch.map(({ id, change }) => ({ id, change }));
    const input = { body: { protocol: PROTOCOL, changes } } as const;
    const { logs } = this.#connection;
    const { most } = this.#link;
    if (!this.#hasNews || !logs.isGathering || batch.length > FEW || most < SYNC_LIMITS.changes)
      return this.#ask('push', row, input);
    const [pushing, beside] = logs.together(
      () => [this.#ask('push', row, input), this.#askBeside(row)] as const,
    );
    this.#beside = beside;
    const pushed = await pushing;
    if (pushed.kind === 'ok') beside.pushedTo = pushed.body.seq;
    return pushed;
  }
  #askBeside(row: LinkRow): PageBeside {
    const { page: limit, stream } = this.#link;
    const { pull_seq: after } = row;
    const result = this.#connection.logs
      .call('changes', stream, markOf(row), pageInput(after, limit))
      .catch(() => undefined);
    return { after, limit, pushedTo: 0, result };
  }

  missing(ids: readonly string[], row: LinkRow) {
    return this.#ask('missing', row, { body: { ids: [...ids] } });
  }
  async changes(limit: number, row: LinkRow): Promise<CallResult<PulledPage>> {
    const after = row.pull_seq;
    const beside = this.#beside;
    if (beside?.after === after && beside.limit === limit) {
      const result = await beside.result;
      // One that does not show the push may be of another moment.
      if (result?.kind === 'ok' && (result.body.more || result.body.to >= beside.pushedTo)) {
        this.#beside = undefined;
        return result;
      }
    }
    return this.#ask('changes', row, pageInput(after, limit));
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

/**
 * The replication driver's view of one link of this store with the hosted server. `hasNews`: the
 * other side is known to have changes that are not here.
 */
export function drivenBy(
  connection: UpstreamConnection,
  link: LinkState,
  hasNews = false,
): Driven<Sendable, PushReply, PulledPage> {
  return {
    store: new StoredLink(connection, link),
    upstream: new HostedUpstream(connection, link, hasNews),
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
