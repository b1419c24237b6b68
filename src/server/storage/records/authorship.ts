import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { Contested, EntryWriter } from '../../../shared/contract/v1/contested.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { type Change, type Entry, entryName, parseEntryName } from '../../../sync/change.ts';
import { needAnyCase } from './cases.ts';
import { ChangeIndex, type EntryPosition } from '../log/change-index.ts';
import { attributionOf } from '../log/recorded-by.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { unpack } from '../db/packed.ts';
import { receiptOf } from '../log/received.ts';

type NamedHead = Contested['heads'][number];
type Words = Omit<EntryWriter, 'entry' | 'restored'>;
interface Read {
  id: string;
  change: Change;
  words: Words;
}

/** How many undos of undos are followed back. */
const MAX_RESTORED = 16;

const COLUMNS = [
  'seq',
  'change_id',
  'text',
  'packed',
  'wall',
  'received_at',
  'author',
  'author_kind',
  'key_id',
  'why',
  'relayed',
  'actor',
  'sent_by',
] as const;

/** Changes of one stream, each read once. */
export class Changes {
  readonly #bySeq = new Map<number, Read>();
  readonly #byId = new Map<string, Read>();
  readonly #ctx: ReadContext;
  readonly #stream: number;

  constructor(ctx: ReadContext, stream: number) {
    this.#ctx = ctx;
    this.#stream = stream;
  }

  async load(seqs: Iterable<number>): Promise<void> {
    for (const seq of new Set(seqs)) {
      if (this.#bySeq.has(seq)) continue;
      await this.#read('seq', seq);
      await yieldToEventLoop();
    }
  }
  at(seq: number): Read {
    return this.#bySeq.get(seq)!;
  }
  async byId(id: string): Promise<Read | undefined> {
    if (!this.#byId.has(id)) await this.#read('change_id', id);
    return this.#byId.get(id);
  }
  async #read(column: 'seq' | 'change_id', value: number | string): Promise<void> {
    const row = await this.#ctx.session.db
      .selectFrom('changes')
      .leftJoin('users', 'users.user_id', 'changes.actor')
      .select([...COLUMNS, 'users.name as sender'])
      .where('account', '=', this.#ctx.session.account)
      .where('stream_pk', '=', this.#stream)
      .where(column, '=', value)
      .executeTakeFirst();
    if (row === undefined) return;
    const change = JSON.parse(unpack(row.text, row.packed)) as Change;
    const words: Words = {
      ...receiptOf(row),
      by: row.author,
      user: change.by.user,
      kind: row.author_kind as Words['kind'],
      key_id: row.key_id,
      replica: change.at.replica,
      reason: row.why,
    };
    const read = { id: row.change_id, change, words };
    this.#bySeq.set(row.seq, read);
    this.#byId.set(row.change_id, read);
  }
}

/**
 * Who wrote an entry, and what it says; for a value that an undo brought back, who wrote it first.
 */
async function authorshipOf(
  changes: Changes,
  { id, change, words }: Read,
  index: number,
): Promise<{ writer: EntryWriter; value: unknown }> {
  let entry = change.entries[index]!;
  const { value } = entry;
  let author = words;
  for (let step = 0; step < MAX_RESTORED && entry.restores !== undefined; step += 1) {
    const parts = parseEntryName(entry.restores);
    const earlier = parts === undefined ? undefined : await changes.byId(parts.id);
    const origin = earlier?.change.entries[parts?.index ?? -1];
    // Only what is brought back unchanged is somebody else's word.
    if (
      earlier === undefined ||
      origin?.reg !== entry.reg ||
      canonicalJson(origin.value) !== canonicalJson(value)
    )
      break;
    [entry, author] = [origin, earlier.words];
  }
  return {
    writer: {
      entry: entryName(id, index),
      ...author,
      restored: author === words ? null : { at: words.at, by: words.by },
    },
    value,
  };
}

export async function headOf(
  changes: Changes,
  { seq, index }: EntryPosition,
  displayed: boolean,
): Promise<NamedHead> {
  const { writer, value } = await authorshipOf(changes, changes.at(seq), index);
  return { displayed, value: value as NamedHead['value'], ...writer };
}

/** Whose suggestion an entry accepted, or brings back as accepted. */
async function acceptanceOf(
  index: ChangeIndex,
  { words: { by, kind, key_id } }: Read,
  entry: Entry,
  name: string,
): Promise<Pick<EntryWriter, 'recorded_by'>> {
  if (entry.from === undefined && entry.restores === undefined) return {};
  const own = { author: by, authorKind: kind, keyId: key_id };
  const { recorded_by } = await attributionOf(index, own, entry, name);
  return recorded_by.accepted_by === undefined ? {} : { recorded_by };
}

/** Who wrote these entries of a case's log; entries that it does not hold are left out. */
export async function writersOf(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  entries: readonly string[],
): Promise<EntryWriter[]> {
  const { streamPk } = await needAnyCase(ctx, account, caseUid);
  const changes = new Changes(ctx, streamPk);
  const index = new ChangeIndex(ctx.session, streamPk);
  const found: EntryWriter[] = [];
  for (const name of new Set(entries)) {
    const parts = parseEntryName(name);
    const read = parts === undefined ? undefined : await changes.byId(parts.id);
    const entry = parts && read?.change.entries[parts.index];
    if (parts !== undefined && read !== undefined && entry !== undefined)
      found.push({
        ...(await authorshipOf(changes, read, parts.index)).writer,
        ...(await acceptanceOf(index, read, entry, name)),
      });
    await yieldToEventLoop();
  }
  return found;
}
