import type { CallResult } from '../../../shared/contract/call.ts';
import { missing, PROTOCOL, push, type WireChange } from '../../../shared/contract/sync.ts';
import type { Upstream } from '../../../sync/driver/ports.ts';
import { headersOf, type Link } from './link.ts';
import type { PushAnswer, PageBody } from './outbox-link.ts';
import { type LogPage, Pages } from './pages.ts';

/** A case's log on the window's server, as the replication driver sees it. */
export class ServerUpstream implements Upstream<PushAnswer, PageBody> {
  readonly #link: Link;
  readonly pages: Pages;
  /** The page that came last. */
  page: LogPage | null = null;

  constructor(link: Link) {
    this.#link = link;
    this.pages = new Pages(link);
  }

  push(batch: readonly WireChange[]): Promise<CallResult<PushAnswer>> {
    const { client, row, signal } = this.#link;
    return client.call(push, {
      params: { caseUid: row.case_uid },
      headers: headersOf(row),
      body: { protocol: PROTOCOL, changes: batch.map(({ id, change }) => ({ id, change })) },
      signal,
    });
  }
  async changes(): Promise<CallResult<PageBody>> {
    this.page = await this.pages.next();
    return this.page.answer;
  }
  missing(ids: readonly string[]) {
    const { client, row, signal } = this.#link;
    return client.call(missing, {
      params: { caseUid: row.case_uid },
      headers: headersOf(row),
      body: { ids: [...ids] },
      signal,
    });
  }
  /** A window keeps no points of its server's log: it offers what it sent, and reads it all. */
  async ancestor(): Promise<CallResult<{ epoch: string; seq: number }>> {
    return { kind: 'ok', status: 200, body: { epoch: '', seq: 0 } };
  }
  answers(): Promise<boolean> {
    return this.#link.answers();
  }
  async takesOthers(): Promise<boolean> {
    return false;
  }
}
