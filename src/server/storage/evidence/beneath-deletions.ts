import { isOfItem } from '../../../sync/layers/record.ts';
import { readCovers } from '../../../sync/covers.ts';
import { columnPrefix, type ItemField, parseRegister } from '../../../sync/register.ts';
import type { StoredCase } from '../records/cases.ts';
import { ChangeIndex, type EntryPosition } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { columnsByRule } from './evidence-read.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

/** A register beneath a deletion that was written without knowledge of it (V6). */
export interface Beneath {
  reg: string;
  deletion: EntryPosition;
  /** Its heads, the displayed one first. */
  heads: EntryPosition[];
}

interface Deleted {
  uid: string;
  deletion: EntryPosition;
  heads: Partial<Record<ItemField, [seq: number, index: number]>>;
  isCovered(head: EntryPosition): boolean;
}

/** Fields of an item of which somebody would miss something. Nobody misses its position. */
const FIELDS = ['item_type', 'label', 'metadata'] as const;
const ROWS_AT_ONCE = 2_000;

/** Deleted items whose deletion tells what its author had seen. */
async function deletedItems(
  { session }: ReadContext,
  changes: ChangeIndex,
  casePk: number,
): Promise<Map<number, Deleted>> {
  const found = new Map<number, Deleted>();
  const rows = await session.rows<[number, string, string]>(
    session.db
      .selectFrom('items')
      .select(['item_pk', 'item_uid', 'heads'])
      .where('account', '=', session.account)
      .where('case_pk', '=', casePk)
      .where('deleted', '=', 1)
      .orderBy('item_pk'),
  );
  const parsed = rows.map(([pk, uid, heads]) => ({
    pk,
    uid,
    heads: JSON.parse(heads) as Deleted['heads'],
  }));
  await changes.loadSeqs(
    parsed.flatMap(({ heads }) => (heads.x === undefined ? [] : [heads.x[0]])),
  );
  const work = new WorkCounter();
  for (const { pk, uid, heads } of parsed) {
    if (heads.x === undefined) continue;
    const deletion = { seq: heads.x[0], index: heads.x[1] };
    const { covers } = (await changes.entryAt(deletion)).value as { covers?: string[] };
    if (covers === undefined) continue;
    const ranges = readCovers(covers);
    const isCovered = ({ seq, index }: EntryPosition): boolean =>
      seq === deletion.seq ||
      (ranges.get(changes.at(seq).id)?.some(([from, to]) => index >= from && index <= to) ?? false);
    found.set(pk, { uid, deletion, heads, isCovered });
    if (work.due()) await yieldToEventLoop();
  }
  return found;
}

/**
 * What stands beneath the deletions of a case and was written by somebody who did not know of them:
 * cells of one matrix, and fields of the items themselves unless `cellsOnly`. In the order of
 * register addresses.
 */
export async function beneathDeletions(
  ctx: ReadContext,
  stored: StoredCase,
  matrix: number | undefined,
  { document, rules }: Pick<StoredProfile, 'document' | 'rules'>,
  cellsOnly = false,
): Promise<Beneath[]> {
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  const deleted = await deletedItems(ctx, changes, stored.pk);
  if (deleted.size === 0) return [];
  const heads = new Map<string, { item: Deleted; heads: EntryPosition[] }>();
  if (!cellsOnly)
    for (const item of deleted.values())
      for (const field of FIELDS)
        put(
          heads,
          `item/${field}/${item.uid}`,
          item,
          item.heads[field]?.[0] ?? null,
          item.heads[field]?.[1] ?? null,
        );
  if (matrix !== undefined)
    await putCells(
      ctx,
      heads,
      deleted,
      matrix,
      new Map(
        [...(await columnsByRule(ctx, rules))].map(([pk, column]) => [pk, rules[column] as string]),
      ),
      document,
    );
  await putFurther(ctx, heads, stored.streamPk);
  await changes.loadSeqs([...heads.values()].flatMap((one) => one.heads.map(({ seq }) => seq)));
  const open = [...heads].filter(([, one]) => one.heads.some((head) => !one.item.isCovered(head)));
  return open
    .map(([reg, one]) => ({ reg, deletion: one.item.deletion, heads: one.heads }))
    .sort((a, b) => (a.reg < b.reg ? -1 : 1));
}

type HeadsBeneath = Map<string, { item: Deleted; heads: EntryPosition[] }>;

function put(
  heads: HeadsBeneath,
  reg: string,
  item: Deleted,
  seq: number | null,
  index: number | null,
): void {
  if (seq !== null && index !== null) heads.set(reg, { item, heads: [{ seq, index }] });
}

async function putCells(
  { session }: ReadContext,
  heads: HeadsBeneath,
  deleted: ReadonlyMap<number, Deleted>,
  matrix: number,
  rules: ReadonlyMap<number, string>,
  { profileUid, version }: StoredProfile['document'],
): Promise<void> {
  const pks = [...deleted.keys()];
  for (let start = 0; start < pks.length; start += ROWS_AT_ONCE) {
    const query = session.db
      .selectFrom('cells')
      .select(['item_pk', 'rule_pk', 'head_seq', 'head_index', 'notes_seq', 'notes_index'])
      .where('account', '=', session.account)
      .where('matrix_pk', '=', matrix)
      .where(session.inList('item_pk', pks.slice(start, start + ROWS_AT_ONCE)));
    for (const [pk, rulePk, seq, index, notesSeq, notesIndex] of await session.rows<
      [number, number, number | null, number | null, number | null, number | null]
    >(query)) {
      const [item, rule] = [deleted.get(pk), rules.get(rulePk)];
      if (item === undefined || rule === undefined) continue;
      put(heads, columnPrefix('assertion', profileUid, version, rule) + item.uid, item, seq, index);
      put(
        heads,
        columnPrefix('notes', profileUid, version, rule) + item.uid,
        item,
        notesSeq,
        notesIndex,
      );
    }
    await yieldToEventLoop();
  }
}

/** Adds the heads that are not displayed. */
async function putFurther(
  { session }: ReadContext,
  heads: HeadsBeneath,
  streamPk: number,
): Promise<void> {
  const rows = await session.db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where('reg', 'in', session.list([...heads.keys()]))
    .orderBy('seq')
    .orderBy('idx')
    .execute();
  for (const { reg, seq, idx } of rows) heads.get(reg)?.heads.push({ seq, index: idx });
}

/** Which item and rule a register is about, as a list of contested ones names it. */
export function placeOf(reg: string): {
  item_uid: string;
  rule_uid: string | null;
  field: 'outcome' | 'notes' | ItemField;
} {
  const register = parseRegister(reg);
  if (register === undefined || !isOfItem(register))
    throw new Error('This register is not of an item.');
  if (register.kind === 'item')
    return { item_uid: register.item, rule_uid: null, field: register.field };
  return {
    item_uid: register.item,
    rule_uid: register.rule,
    field: register.kind === 'notes' ? 'notes' : 'outcome',
  };
}
