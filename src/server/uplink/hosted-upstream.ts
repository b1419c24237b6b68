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
import type { Mark } from '../../sync/log.ts';
import type { Line, LinkState } from './line.ts';
import { type Page, StoredLink } from './stored-link.ts';

/** One log of the hosted server, as the replication driver sees it. */
class HostedUpstream implements Upstream<PushReply, Page> {
  readonly #line: Line;
  readonly #stream: string;

  constructor(line: Line, stream: string) {
    this.#line = line;
    this.#stream = stream;
  }

  get #about() {
    return { params: { caseUid: this.#stream }, signal: this.#line.signal };
  }
  #noted<T>(operation: string, result: CallResult<T>): CallResult<T> {
    if (result.kind !== 'ok') this.#line.failed(this.#stream, operation, result);
    return result;
  }

  async push(batch: readonly WireChange[], row: LinkRow): Promise<CallResult<PushReply>> {
    const sent = batch.map(({ id, change }) => ({ id, change }));
    const body = { protocol: PROTOCOL, changes: sent } as const;
    const headers = witnessOf(row);
    return this.#noted(
      'push',
      await this.#line.client.call(push, { ...this.#about, headers, body }),
    );
  }
  async missing(ids: readonly string[], row: LinkRow) {
    const headers = witnessOf(row);
    return this.#noted(
      'missing',
      await this.#line.client.call(missing, { ...this.#about, headers, body: { ids: [...ids] } }),
    );
  }
  async changes(limit: number, row: LinkRow) {
    const query = { after: String(row.pull_seq), limit: String(limit) };
    const headers = witnessOf(row);
    return this.#noted(
      'changes',
      await this.#line.client.call(changes, { ...this.#about, headers, query }),
    );
  }
  async ancestor(points: readonly Mark[]) {
    return this.#noted(
      'ancestor',
      await this.#line.client.call(ancestor, { ...this.#about, body: { points: [...points] } }),
    );
  }
  answers(): Promise<boolean> {
    return this.#line.answers();
  }
  takesOthers(): Promise<boolean> {
    return this.#line.isStudio();
  }
}

/** The replication driver's view of one link of this store with the hosted server. */
export function drivenBy(line: Line, link: LinkState): Driven<Sendable, PushReply, Page> {
  return {
    store: new StoredLink(line, link),
    upstream: new HostedUpstream(line, link.stream),
    state: link,
    hasher: line.hasher,
    mostChanges: SYNC_LIMITS.changes,
    get versions() {
      return line.versions();
    },
    now: () => line.now(),
    elapsed: () => line.elapsed(),
    get ended() {
      return line.signal.aborted;
    },
    rules: RULES,
  };
}
