import type { z } from 'zod';
import { type changes, MAX_IDS, SYNC_LIMITS } from '../../shared/contract/sync.ts';
import type {
  AsideChange,
  Driven,
  KeptBack,
  LinkStore,
  StepOutcome,
  OwnSet,
  Sendable,
  UnsentBatch,
} from '../../sync/driver/ports.ts';
import { type LinkRow, originOf, type PushReply } from '../../sync/link.ts';
import { announcesRun, fetchAwaited, sendAnnounced } from './run-contents.ts';
import { fetchDocuments, namesDocument } from './documents.ts';
import { asideNow, codeOf } from './kept-back.ts';
import {
  type UpstreamConnection,
  LinkMovedError,
  type LinkState,
  moveTo,
  settled,
} from './connection.ts';
import { isCaseStream } from '../../sync/register.ts';

export type PulledPage = z.output<typeof changes.response>;

/** Changes that are read at once to be sent, and the bytes of a request around each of them. */
const READ_AT_ONCE = 100;
const AROUND_BYTES = 200;

/** A log of this store and its link, as the replication driver sees them. */
export class StoredLink implements LinkStore<Sendable, PushReply, PulledPage> {
  readonly #connection: UpstreamConnection;
  readonly #link: LinkState;

  constructor(connection: UpstreamConnection, link: LinkState) {
    this.#connection = connection;
    this.#link = link;
  }

  get row(): LinkRow {
    return this.#link.row;
  }
  get #lastOk(): { last_ok: string } {
    return { last_ok: new Date(this.#connection.now()).toISOString() };
  }

  async unsent(most: number): Promise<UnsentBatch<Sendable>> {
    const { store, account, mayStandFor } = this.#connection;
    const { row, stream } = this.#link;
    const { push_pos } = row;
    const tail = await store.read((reader) =>
      reader.log.tail(account, stream, push_pos, {
        notOrigin: originOf(row),
        limit: most,
        bytes: SYNC_LIMITS.bytes,
      }),
    );
    const foreign = tail.changes.findIndex(
      ({ actor }) => actor !== null && !mayStandFor.has(actor),
    );
    if (foreign < 0) return tail;
    const own = tail.changes.slice(0, foreign);
    return { changes: own, to: own.at(-1)?.seq ?? push_pos, more: true, blocked: 'other_user' };
  }

  async sentBefore() {
    const { store, account } = this.#connection;
    const { row, stream } = this.#link;
    const { push_pos, again_to } = row;
    const asked = await store.read((reader) =>
      reader.log.ids(account, stream, push_pos, again_to, {
        notOrigin: originOf(row),
        limit: MAX_IDS,
      }),
    );
    return {
      changes: asked,
      to: asked.length < MAX_IDS ? again_to : (asked.at(-1)?.seq ?? again_to),
    };
  }

  async read(wanted: readonly { seq: number }[], most: number): Promise<Sendable[]> {
    const { store, account } = this.#connection;
    const seqs = wanted.slice(0, most).map(({ seq }) => seq);
    const batch: Sendable[] = [];
    let bytes = 0;
    for (let start = 0; start < seqs.length; start += READ_AT_ONCE) {
      const part = seqs.slice(start, start + READ_AT_ONCE);
      for (const change of await store.read((reader) =>
        reader.log.at(account, this.#link.stream, part),
      )) {
        bytes += Buffer.byteLength(change.change) + AROUND_BYTES;
        if (batch.length > 0 && bytes > SYNC_LIMITS.bytes) return batch;
        batch.push(change);
      }
    }
    return batch;
  }

  prepare(batch: readonly Sendable[], driven: Driven): Promise<StepOutcome | undefined> {
    return sendAnnounced(this.#connection, driven, batch);
  }

  move(row: LinkRow): Promise<void> {
    return moveTo(this.#connection, this.#link, { ...this.#link.row, ...row });
  }

  async acknowledge(
    row: LinkRow,
    batch: readonly Sendable[],
    _reply: PushReply,
    aside: boolean,
  ): Promise<void> {
    const { account } = this.#connection;
    const { stream } = this.#link;
    const next = { ...this.#link.row, ...row, ...this.#lastOk };
    await moveTo(this.#connection, this.#link, next, async ({ uplinkWrites }) => {
      for (const { seq } of aside ? batch : []) await uplinkWrites.accept(account, stream, seq);
    });
  }

  async keepBack(batch: readonly Sendable[], { failure, mark }: KeptBack): Promise<void> {
    const { store, account } = this.#connection;
    const [code, aside] =
      mark === null ? [codeOf(failure), asideNow(this.#connection)] : [mark, undefined];
    await store.transact(async ({ uplinkWrites }) => {
      for (const { seq } of batch)
        await uplinkWrites.refuse(account, this.#link.stream, seq, code, aside);
    });
  }

  async aside(): Promise<AsideChange[]> {
    return (await this.#connection.aside())
      .filter(({ stream }) => stream === this.#link.stream)
      .map(({ seq, at, versions }) => ({ seq, at: Date.parse(at), versions }));
  }

  async receive(row: LinkRow, page: PulledPage): Promise<undefined> {
    const { store, account } = this.#connection;
    const { stream, key } = this.#link;
    const to = { ...this.#link.row, ...row, ...this.#lastOk };
    if (page.n === 0) {
      await moveTo(this.#connection, this.#link, to);
      return;
    }
    const received = await store.transact(
      (writer) =>
        writer.log.receive(account, stream, {
          changes: page.changes.map(({ id, change, actor, sent_by }) => ({
            id,
            change,
            actor,
            sent_by,
          })),
          link: { from: key, to },
        }),
      undefined,
      'together',
    );
    if (received === undefined) throw new LinkMovedError();
    settled(this.#link, received.link);
    if (isCaseStream(stream) && announcesRun(page.changes))
      await fetchAwaited(this.#connection, stream);
    if (namesDocument(page.changes)) await fetchDocuments(this.#connection);
  }

  async ownSet(): Promise<OwnSet | undefined> {
    const { store, account } = this.#connection;
    const { stream } = this.#link;
    return store.read(async (reader) => {
      const own = await reader.log.position(account, stream);
      return own && { ...own, keptBack: await reader.uplink.refused(account, stream) };
    });
  }

  verified(row: LinkRow, { seq }: Pick<OwnSet, 'seq'>): Promise<void> {
    return moveTo(this.#connection, this.#link, {
      ...this.#link.row,
      ...row,
      verified_at: new Date(this.#connection.now()).toISOString(),
      verified_seq: seq,
      problem: null,
      state: 'open',
    });
  }
}
