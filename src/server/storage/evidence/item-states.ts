import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { ItemsStateInput } from '../../../shared/contract/v1/housekeeping.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { isOfItem } from '../../../sync/layers/record.ts';
import { writeCovers } from '../../../sync/covers.ts';
import { parseRegister } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { permit } from '../db/permit.ts';
import { openStream } from '../log/change-log.ts';
import type { EntryPosition } from '../log/change-index.ts';
import { Gesture } from '../log/gesture.ts';
import type { ItemState } from '../log/item-map.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase } from '../records/cases.ts';
import { place } from './place-entries.ts';

/** Fields of an item that a deletion says it has seen. */
const FIELDS = ['item_type', 'label', 'metadata'] as const;

/** Removes items of a case with their cells, or brings them back whole (V2). */
export async function setItemsState(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  { item_uids, state, reason }: ItemsStateInput,
): Promise<{ case_uid: CaseUid; changed: number; unchanged: number; changes: string[] }> {
  permit(ctx, { do: 'remove' });
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const view = new CaseView(ctx, stream, await needCase(ctx, actor.account_id, caseUid));
  const uids = [...new Set(item_uids)];
  await view.items.load(uids);
  refuseUnknown(view, item_uids);
  const isDeleted = state === 'deleted';
  const items = uids
    .map((uid) => view.items.get(uid) as ItemState)
    .filter((item) => item.deleted !== isDeleted);
  const unchanged = uids.length - items.length;
  if (items.length === 0) return { case_uid: caseUid, changed: 0, unchanged, changes: [] };
  const covers = isDeleted ? await seenHeads(ctx, view, items) : undefined;
  await view.heads.load(items.map(({ uid }) => `item/x/${uid}`));
  await stream.changes.loadSeqs(items.flatMap(({ heads }) => (heads.x ? [heads.x[0]] : [])));
  const gesture = new Gesture();
  for (const item of items) {
    const head = item.heads.x;
    const value = isDeleted
      ? { deleted: true, covers: covers?.get(item.pk) ?? [] }
      : { deleted: false };
    gesture.entry(
      view.items.binding(item, 'x'),
      head === undefined ? null : stream.changes.nameOf({ seq: head[0], index: head[1] }),
      canonicalJson(value),
      value,
    );
  }
  const changes = await place(ctx, view, gesture, actor, reason);
  return { case_uid: caseUid, changed: items.length, unchanged, changes };
}

function refuseUnknown(view: CaseView, uids: readonly string[]): void {
  const details: ErrorDetail[] = uids.flatMap((uid, index) =>
    view.items.get(uid) === undefined
      ? [
          {
            path: `/item_uids/${index}`,
            code: 'unknown_item',
            message: 'The case has no such item.',
          },
        ]
      : [],
  );
  if (details.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some items are not in the case; nothing was changed.',
      details,
    );
}

/**
 * By item: the heads of its fields and cells, displayed or not (V6). What is written elsewhere
 * without knowledge of the deletion is none of them.
 */
async function seenHeads(
  ctx: WriteContext,
  view: CaseView,
  items: readonly ItemState[],
): Promise<Map<number, string[]>> {
  const { session } = ctx;
  const { changes } = view.stream;
  const heads = new Map<number, EntryPosition[]>();
  const byUid = new Map(items.map(({ uid, pk }) => [uid, pk]));
  const add = (pk: number, seq: number | null, index: number | null): void => {
    if (seq !== null && index !== null) heads.set(pk, [...(heads.get(pk) ?? []), { seq, index }]);
  };
  for (const { pk, heads: of } of items)
    for (const field of FIELDS) if (of[field] !== undefined) add(pk, ...of[field]);
  const matrices = session.db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('account', '=', session.account)
    .where('case_pk', '=', view.stored.pk);
  for (const [pk, seq, index, notesSeq, notesIndex] of await session.rows<
    [number, number | null, number | null, number | null, number | null]
  >(
    session.db
      .selectFrom('cells')
      .select(['item_pk', 'head_seq', 'head_index', 'notes_seq', 'notes_index'])
      .where('account', '=', session.account)
      .where(session.inQuery('matrix_pk', matrices))
      .where(session.inList('item_pk', [...byUid.values()])),
  )) {
    add(pk, seq, index);
    add(pk, notesSeq, notesIndex);
  }
  for (const { reg, seq, idx } of await session.db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', view.stream.pk)
    .execute()) {
    const register = parseRegister(reg);
    const pk = register !== undefined && isOfItem(register) ? byUid.get(register.item) : undefined;
    if (pk !== undefined) add(pk, seq, idx);
  }
  await changes.loadSeqs(new Set([...heads.values()].flatMap((of) => of.map(({ seq }) => seq))));
  return new Map(
    [...heads].map(([pk, of]) => [
      pk,
      writeCovers(of.map(({ seq, index }) => [changes.at(seq).id, index] as const)),
    ]),
  );
}
