import type { AccountId, KeyId, StreamName } from '../../../shared/contract/ids.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Author, Change, Entry } from '../../../sync/change.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { Acceptances } from './acceptances.ts';
import { streamNamed } from './log-position.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';

/** Where an entry stands: the change's position in its stream, and the index in it. */
export interface EntryPosition {
  seq: number;
  index: number;
}

export interface ChangeInfo {
  seq: number;
  id: string;
  hlc: string;
  receivedAt: string;
  author: string;
  authorKind: string;
  keyId: KeyId | null;
  /** JSON array of entry indexes, or null. */
  quarantined: string | null;
}

function toInfo(row: {
  seq: number;
  change_id: string;
  hlc: string;
  received_at: string;
  author: string;
  author_kind: string;
  key_id: KeyId | null;
  quarantined: string | null;
}): ChangeInfo {
  const { seq, change_id, hlc, received_at, author, author_kind, key_id, quarantined } = row;
  return {
    seq,
    id: change_id,
    hlc,
    receivedAt: received_at,
    author,
    authorKind: author_kind,
    keyId: key_id,
    quarantined,
  };
}

const COLUMNS = [
  'seq',
  'change_id',
  'hlc',
  'received_at',
  'author',
  'author_kind',
  'key_id',
  'quarantined',
] as const;

const heldQuery = compiledOnce(
  (
    { db, inPlaceholder },
    {
      account,
      name,
      ids,
    }: Placeholders<{ account: number; name: StreamName; ids: readonly string[] }>,
  ) =>
    db
      .selectFrom('changes')
      .select(COLUMNS)
      .where('account', '=', account)
      .where('stream_pk', '=', streamNamed(db, account, name))
      .where(inPlaceholder('change_id', ids, 'text')),
);

const changesOf = (
  { db }: Pick<DatabaseSession, 'db'>,
  { account, stream }: Placeholders<{ account: number; stream: number }>,
) =>
  db
    .selectFrom('changes')
    .select(COLUMNS)
    .where('account', '=', account)
    .where('stream_pk', '=', stream);
const changesBySeq = compiledOnce(
  (parts, given: Placeholders<{ account: number; stream: number; seqs: readonly number[] }>) =>
    changesOf(parts, given).where(parts.inPlaceholder('seq', given.seqs, 'number')),
);
const changesById = compiledOnce(
  (parts, given: Placeholders<{ account: number; stream: number; ids: readonly string[] }>) =>
    changesOf(parts, given).where(parts.inPlaceholder('change_id', given.ids, 'text')),
);

/** The changes of these ids that the log holds; none where there is no such log. */
export async function heldChanges(
  { session }: Pick<ReadContext, 'session'>,
  account: AccountId,
  name: StreamName,
  ids: readonly string[],
): Promise<ChangeInfo[]> {
  const rows = await heldQuery(session, {
    account: session.numberOf(account),
    name,
    ids,
  }).execute();
  return rows.map(toInfo);
}

interface ChangeContent {
  entries: readonly Entry[];
  quarantined: readonly number[];
  why: string | null;
  by: Author;
}

const pick = ({ entries, by }: Pick<Change, 'entries' | 'by'>) => ({ entries, by });

const contentIn = (row: {
  text: string | null;
  packed: Uint8Array | null;
  quarantined: string | null;
  why: string | null;
}): ChangeContent => ({
  ...pick(JSON.parse(unpack(row.text, row.packed)) as Pick<Change, 'entries' | 'by'>),
  quarantined: row.quarantined === null ? [] : (JSON.parse(row.quarantined) as number[]),
  why: row.why,
});

/** Contents of changes that are read in one go: one may have half a megabyte. */
const CONTENTS_AT_ONCE = 50;

/** How many undos of undos are followed back. */
const MAX_RESTORED = 16;

/**
 * What is known of a stream's changes. Read on demand and kept for the length of one transaction.
 */
export class ChangeIndex {
  readonly acceptances: Acceptances;
  readonly #session: DatabaseSession;
  readonly #stream: number;
  readonly #bySeq = new Map<number, ChangeInfo>();
  readonly #byId = new Map<string, ChangeInfo | null>();
  readonly #entries = new Map<number, ChangeContent>();

  constructor(session: DatabaseSession, stream: number) {
    this.#session = session;
    this.#stream = stream;
    this.acceptances = new Acceptances(session, stream, this);
  }

  /** Adds a change that this transaction appends. Until then its entries count as unknown. */
  add(
    info: ChangeInfo,
    change?: Pick<Change, 'entries' | 'by'>,
    quarantined: readonly number[] = [],
  ): void {
    this.#bySeq.set(info.seq, info);
    this.#byId.set(info.id, info);
    if (change !== undefined)
      this.#entries.set(info.seq, { ...pick(change), quarantined, why: null });
  }

  async loadSeqs(seqs: Iterable<number>): Promise<void> {
    const wanted = [...new Set(seqs)].filter((seq) => !this.#bySeq.has(seq));
    if (wanted.length === 0) return;
    const found = await changesBySeq(this.#session, { ...this.#log, seqs: wanted }).execute();
    for (const row of found) this.add(toInfo(row));
  }

  async loadIds(ids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#byId.has(id));
    if (wanted.length === 0) return;
    const found = await changesById(this.#session, { ...this.#log, ids: wanted }).execute();
    this.learn(wanted, found.map(toInfo));
  }

  /** Notes which of these ids the log holds, and that it holds none of the others. */
  learn(ids: Iterable<string>, held: readonly ChangeInfo[]): void {
    for (const id of ids) if (!this.#byId.has(id)) this.#byId.set(id, null);
    for (const info of held) this.add(info);
  }

  get #log() {
    return { account: this.#session.account, stream: this.#stream };
  }

  /** A loaded change. */
  at(seq: number): ChangeInfo {
    const info = this.#bySeq.get(seq);
    if (info === undefined) throw new Error(`Change ${seq} was not loaded.`);
    return info;
  }

  /** A loaded change by id; undefined where the stream does not hold it. */
  byId(id: string): ChangeInfo | undefined {
    return this.#byId.get(id) ?? undefined;
  }

  nameOf(head: EntryPosition): string {
    return `${this.at(head.seq).id}#${head.index}`;
  }

  async contentOf(seq: number): Promise<ChangeContent> {
    const known = this.#entries.get(seq);
    if (known !== undefined) return known;
    const row = await this.#session.db
      .selectFrom('changes')
      .select(['text', 'packed', 'quarantined', 'why'])
      .where('account', '=', this.#session.account)
      .where('stream_pk', '=', this.#stream)
      .where('seq', '=', seq)
      .executeTakeFirstOrThrow();
    const content = contentIn(row);
    this.#entries.set(seq, content);
    return content;
  }

  /** Loads what these changes say, many at a time. */
  async loadContents(seqs: Iterable<number>): Promise<void> {
    const wanted = [...new Set(seqs)].filter((seq) => !this.#entries.has(seq));
    for (let start = 0; start < wanted.length; start += CONTENTS_AT_ONCE) {
      const part = wanted.slice(start, start + CONTENTS_AT_ONCE);
      const rows = await this.#session.db
        .selectFrom('changes')
        .select(['seq', 'text', 'packed', 'quarantined', 'why'])
        .where('account', '=', this.#session.account)
        .where('stream_pk', '=', this.#stream)
        .where(this.#session.inList('seq', part))
        .execute();
      for (const row of rows) {
        this.#entries.set(row.seq, contentIn(row));
        await yieldToEventLoop();
      }
    }
  }

  async entryAt(head: EntryPosition): Promise<Entry> {
    const entry = (await this.contentOf(head.seq)).entries[head.index];
    if (entry === undefined) throw new Error('A head names no entry.');
    return entry;
  }

  /**
   * The entry that first said what `restores` names: an undo may bring back what another one
   * brought back. Null where it names no entry of this register. Only a value that is brought back
   * unchanged is somebody else's word: naming them does not put another one into their mouth.
   */
  async originOf(
    reg: string,
    { restores, value }: { restores?: unknown; value: unknown },
  ): Promise<string | null> {
    if (restores === undefined) return null;
    let named: unknown = restores;
    const said = canonicalJson(value);
    let origin: string | null = null;
    for (let step = 0; step < MAX_RESTORED && named !== undefined; step += 1) {
      const parts = typeof named === 'string' ? parseEntryName(named) : undefined;
      if (parts === undefined) break;
      await this.loadIds([parts.id]);
      const info = this.byId(parts.id);
      const entry =
        info === undefined ? undefined : (await this.contentOf(info.seq)).entries[parts.index];
      if (info !== undefined && (entry?.reg !== reg || canonicalJson(entry.value) !== said)) break;
      origin = `${parts.id}#${parts.index}`;
      named = entry?.restores;
    }
    return origin;
  }

  /**
   * Whether a parent that is not a head of `reg` can be ignored: it was applied to `reg` and has
   * been superseded, or it can never be an entry of `reg`. A quarantined entry is not ignored,
   * since a later version may apply it.
   */
  async isSettled(name: string, reg: string): Promise<boolean> {
    const parts = parseEntryName(name);
    if (parts === undefined) return true;
    await this.loadIds([parts.id]);
    const info = this.byId(parts.id);
    if (info === undefined) return false;
    const { entries, quarantined } = await this.contentOf(info.seq);
    const entry = entries[parts.index];
    return entry === undefined || entry.reg !== reg || !quarantined.includes(parts.index);
  }
}
