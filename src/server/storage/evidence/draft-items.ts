import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { WriteContext } from '../db/context.ts';
import type { CaseView } from '../records/case-view.ts';
import type { Gesture } from '../log/gesture.ts';
import type { EvidenceWrite } from './evidence-answers.ts';
import type { ItemField } from '../../../sync/register.ts';
import type { ItemState } from '../log/item-map.ts';
import { permit } from '../db/permit.ts';
import { MAX_ITEMS, type ItemInput } from '../../../shared/contract/v1/evidence.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { jsonString } from '../../../sync/change-writer.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';

export function refuse(details: ErrorDetail[], path: string, code: string, message: string): void {
  details.push({ path, code, message });
}

export async function draftItems(
  ctx: WriteContext,
  view: CaseView,
  gesture: Gesture,
  write: EvidenceWrite,
  details: ErrorDetail[],
): Promise<{ items_created: number; items_updated: number }> {
  const { items } = write;
  const uids = new Set<string>();
  items.forEach((item, index) => {
    if (uids.has(item.item_uid))
      refuse(
        details,
        `${write.itemPath(index)}/item_uid`,
        'duplicate_item',
        'The item is in this request already.',
      );
    uids.add(item.item_uid);
  });
  const known = items
    .map((item) => view.items.get(item.item_uid))
    .filter((row): row is ItemState => row !== undefined);
  if (known.some((row) => row.deleted)) permit(ctx, { do: 'remove' });
  await view.items.create([...uids]);
  const added = uids.size - known.length;
  if (added > 0 && view.stored.itemRows + added > MAX_ITEMS)
    refuse(
      details,
      write.itemPath(items.length - 1),
      'too_many_items',
      `A case holds at most ${MAX_ITEMS} items.`,
    );
  if (details.length > 0) return { items_created: 0, items_updated: 0 };
  const next =
    added > 0 && items.some((item) => item.position === undefined)
      ? await positionAfterLast(ctx, view)
      : 0;
  return draftEach(view, gesture, items, next);
}

async function draftEach(
  view: CaseView,
  gesture: Gesture,
  items: readonly ItemInput[],
  firstPosition: number,
): Promise<{ items_created: number; items_updated: number }> {
  const counts = { items_created: 0, items_updated: 0 };
  const contestable: string[] = [];
  let position = firstPosition;
  const work = new WorkCounter();
  for (const input of items) {
    const row = view.items.get(input.item_uid) as ItemState;
    const isCreated = row.isNew || row.deleted;
    const before = gesture.texts.length;
    const set = (field: ItemField, value: unknown, text: string): void => {
      const head = row.heads[field];
      if (head !== undefined) contestable.push(`item/${field}/${row.uid}`);
      gesture.entry(
        view.items.binding(row, field),
        head === undefined ? null : view.stream.changes.nameOf({ seq: head[0], index: head[1] }),
        text,
        value,
      );
    };
    if (isCreated) set('x', { deleted: false }, '{"deleted":false}');
    if (input.item_type !== undefined && (row.isNew || input.item_type !== row.itemType))
      set('item_type', input.item_type, jsonString(input.item_type));
    if (input.label !== undefined && (row.isNew || input.label !== row.label))
      set('label', input.label, jsonString(input.label));
    if (input.metadata !== undefined) {
      const text = canonicalJson(input.metadata);
      if (row.isNew || text !== row.metadata) set('metadata', input.metadata, text);
    }
    const place = input.position ?? (row.isNew ? position++ : row.position);
    if (row.isNew || place !== row.position) set('position', place, canonicalJson(place));
    if (isCreated) counts.items_created += 1;
    else if (gesture.texts.length > before) counts.items_updated += 1;
    if (work.due(2)) await yieldToEventLoop();
  }
  await view.heads.load(contestable);
  return counts;
}

/** One after the last row of the case, deleted ones left out. */
async function positionAfterLast(ctx: WriteContext, view: CaseView): Promise<number> {
  const last = await ctx.session.db
    .selectFrom('items')
    .select('position')
    .where('account', '=', ctx.session.account)
    .where('case_pk', '=', view.stored.pk)
    .where('deleted', '=', 0)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined
    ? 0
    : Math.min(Math.floor(last.position) + 1, Number.MAX_SAFE_INTEGER - MAX_ITEMS);
}
