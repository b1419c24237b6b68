import type { z } from 'zod';
import { failureText, type Failure } from '../../../shared/contract/call.ts';
import { type changes, type push, SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import type {
  AsideChange,
  Driven,
  DriverState,
  KeptBack,
  LinkStore,
  StepOutcome,
  Sendable,
  UnsentBatch,
  Upstream,
} from '../../../sync/driver/ports.ts';
import { RULES } from '../../../sync/driver/rules.ts';
import { type LinkRow, verify } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import type { MatrixRow, OutboxRow } from '../store/db.ts';
import { outboxRowsAt } from '../store/outbox-rows.ts';
import { readOutboxRows } from '../store/stored-rows.ts';
import { isDue, type Link, linkOf, movedTo } from './link.ts';
import { absorb, nextBatch } from './outbox.ts';
import { t, tOf } from '../../text/t.ts';

export type PushAnswer = z.output<typeof push.response>;
export type PageBody = z.output<typeof changes.response>;

interface OutboxChange extends Sendable {
  row: OutboxRow;
}
const waiting = (row: OutboxRow): OutboxChange => ({
  id: row.id,
  change: row.text,
  seq: row.n ?? 0,
  row,
});

const refusedFor = (failure: Failure): string =>
  failure.kind === 'refused'
    ? `${failure.code}: ${tOf(failure.message)}`
    : tOf(failureText(failure));

/** In canonical JSON, where a text holds no such quotes. */
const SUGGESTS = /"reg":"s\//;

/** A case's outbox and the link of its replica, as the replication driver sees them. */
export class OutboxLink implements LinkStore<OutboxChange, PushAnswer, PageBody> {
  readonly #link: Link;
  readonly #take: (row: LinkRow, page: PageBody) => Promise<StepOutcome | undefined>;
  /** The last answer has shown that both sides hold the same, so there is nothing to read. */
  isEqual = false;

  /** `take` stores a page. */
  constructor(link: Link, take: OutboxLink['receive']) {
    this.#link = link;
    this.#take = take;
  }

  /** A replica that was replaced has a row of its own: what was asked for the other is stale. */
  get row(): LinkRow {
    const { row, life } = this.#link;
    return { ...linkOf(row), boot: `${row.boot}/${life}` };
  }

  async unsent(most: number): Promise<UnsentBatch<OutboxChange>> {
    const { db, row, blocked } = this.#link;
    const { batch, more } = await nextBatch(db, row, most);
    if (batch.length === 0) return { changes: [], to: 0, more: false };
    this.isEqual = false;
    if (blocked !== null) return { changes: [], to: 0, more: false, blocked: null };
    return { changes: batch.map(waiting), to: 0, more };
  }
  /** An outbox begins at position 0, whatever was sent of it before. */
  async sentBefore(): Promise<{ changes: []; to: number }> {
    return { changes: [], to: 0 };
  }
  async read(wanted: readonly { seq: number }[], most: number): Promise<OutboxChange[]> {
    const keys = wanted.slice(0, most).map(({ seq }) => seq);
    const rows = (await outboxRowsAt(this.#link.db, keys)).filter((row) => row !== undefined);
    return readOutboxRows(rows).map(waiting);
  }
  /** Nothing is sent before it is part of this replica. */
  async prepare(batch: readonly OutboxChange[]): Promise<StepOutcome | undefined> {
    const rows = batch.map(({ row }) => row);
    return (await absorb(this.#link, rows)) ? { kind: 'again' } : undefined;
  }

  async move(row: LinkRow): Promise<void> {
    await this.#write(() => movedTo(row), {});
  }
  async #write(
    changeOf: (row: MatrixRow) => Partial<MatrixRow>,
    job: Omit<Parameters<Link['writer']['enqueue']>[0], 'link'>,
  ): Promise<boolean> {
    const link = this.#link;
    const { life, row } = link;
    const change = changeOf(row);
    await link.writer.enqueue({ ...job, link: { rev: row.rev, change: () => change } });
    // The browser may have deleted its storage meanwhile; the copy that is then read again has a row
    // of its own.
    if (link.life !== life) return false;
    link.row = { ...row, ...change, rev: row.rev + 1 };
    return true;
  }

  async acknowledge(
    row: LinkRow,
    batch: readonly OutboxChange[],
    answer: PushAnswer,
  ): Promise<void> {
    const link = this.#link;
    const before = link.row;
    const ids = batch.map(({ id }) => id);
    const sent = new Set(ids);
    const grown = row.pull_seq > before.pull_seq ? addToDigest(before, ids) : undefined;
    // A change that was applied on top of the snapshot was in fact contained in it. What superseded
    // it there is not known here, so the snapshot has to be read again.
    const wasContained = answer.results.some(
      ({ id, seq }) => seq <= before.base_seq && before.overlaid.includes(id),
    );
    const quarantined = answer.results
      .filter((result) => result.quarantined.length > 0)
      .map((result) => ({ id: result.id, entries: result.quarantined }));
    const isWritten = await this.#write(
      () => ({
        ...movedTo(row),
        last_ok: link.now(),
        overlaid: before.overlaid.filter((id) => !sent.has(id)),
        ...grown,
        ...(wasContained && { schema: 0 }),
      }),
      { acknowledged: batch.map((one) => one.row), quarantined },
    );
    // What this user suggests is on screen nowhere until lists of the server are read.
    if (batch.some(({ change }) => SUGGESTS.test(change))) link.readBeside(['suggestions']);
    this.isEqual =
      isWritten &&
      grown !== undefined &&
      !isDue(link.row) &&
      verify({ ...answer, more: false }, grown, 0) === 'equal';
  }

  async keepBack(batch: readonly OutboxChange[], { failure, mark }: KeptBack): Promise<void> {
    const { writer, versions } = this.#link;
    const aside = { at: this.#link.now(), versions };
    const reason =
      mark === null
        ? t('The server fails on it: {failure}', { failure: tOf(failureText(failure)) })
        : refusedFor(failure);
    await writer.enqueue({
      damaged: batch.map(({ row }) => ({
        row,
        reason: reason.slice(0, 500),
        ...(mark === null && { aside }),
      })),
    });
  }
  async aside(): Promise<AsideChange[]> {
    const { db, row } = this.#link;
    const kept = await db.outbox
      .where('[case_uid+user+state]')
      .equals([row.case_uid, row.user, 'damaged'])
      .toArray();
    return readOutboxRows(kept)
      .flatMap(({ n, aside }) =>
        n === undefined || aside === undefined ? [] : { seq: n, ...aside },
      )
      .sort((a, b) => a.at - b.at);
  }

  receive(row: LinkRow, page: PageBody): Promise<StepOutcome | undefined> {
    return this.#take(row, page);
  }
  /** A window has no log to compare: it compares what it has read, page by page. */
  async ownSet(): Promise<undefined> {}
  async verified(): Promise<void> {}
}

/** What the replication driver needs of a window to send and read. */
export function drivenBy(
  link: Link & { readonly closed: boolean },
  store: OutboxLink,
  upstream: Upstream<PushAnswer, PageBody>,
  state: DriverState,
): Driven<OutboxChange, PushAnswer, PageBody> {
  return {
    store,
    upstream,
    state,
    hasher: link.hasher,
    mostChanges: SYNC_LIMITS.changes,
    get versions() {
      return link.versions;
    },
    now: () => link.now(),
    elapsed: () => link.elapsed(),
    get ended() {
      return link.closed;
    },
    rules: RULES,
  };
}
