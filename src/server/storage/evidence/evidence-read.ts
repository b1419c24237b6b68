import type { RawBuilder } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor } from '../db/cursor.ts';

export type ItemTuple = [
  pk: number,
  uid: string,
  type: string,
  label: string,
  metadata: string,
  position: number,
  version: number,
  created: string,
  updated: string,
];

/** Items in row order after a cursor, deleted ones left out. */
export function itemsAfter(
  { session }: ReadContext,
  casePk: number,
  limit: number,
  cursor: string | undefined,
  has: RawBuilder<boolean> | undefined,
) {
  const all = session.db
    .selectFrom('items')
    .where('account', '=', session.account)
    .where('case_pk', '=', casePk)
    .where('deleted', '=', 0)
    .orderBy('position')
    .orderBy('item_uid')
    .limit(limit);
  const query = has === undefined ? all : all.where(has);
  if (cursor === undefined) return query;
  const [position, uid] = readCursor('items', ['number', 'string'], cursor) as [number, string];
  return query
    .where(({ eb, or, and }) =>
      or([
        eb('position', '>', position),
        and([eb('position', '=', position), eb('item_uid', '>', uid)]),
      ]),
    )
    .where('position', '>=', position);
}

/** A page of items, and the cursor after it. */
export async function readItems(
  ctx: ReadContext,
  casePk: number,
  limit: number,
  cursor: string | undefined,
  has?: RawBuilder<boolean>,
): Promise<{ items: ItemTuple[]; next: string | null }> {
  const rows = await ctx.session.rows<ItemTuple>(
    itemsAfter(ctx, casePk, limit + 1, cursor, has).select([
      'item_pk',
      'item_uid',
      'item_type',
      'label',
      'metadata',
      'position',
      'version',
      'created_at',
      'updated_at',
    ]),
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next:
      rows.length > limit && last !== undefined ? writeCursor('items', [last[5], last[1]]) : null,
  };
}

/** Cells with their items and the names of their rules. */
export const namedCells = ({ session: { db } }: ReadContext) =>
  db
    .selectFrom('cells')
    .innerJoin('items', (join) =>
      join
        .onRef('items.account', '=', 'cells.account')
        .onRef('items.item_pk', '=', 'cells.item_pk'),
    )
    .innerJoin('rules', (join) =>
      join
        .onRef('rules.account', '=', 'cells.account')
        .onRef('rules.rule_pk', '=', 'cells.rule_pk'),
    );

/** Column of each rule's number under a profile. */
export async function columnsByRule(
  ctx: ReadContext,
  rules: readonly string[],
): Promise<Map<number, number>> {
  const rows = await ctx.session.db
    .selectFrom('rules')
    .select(['rule_pk', 'rule_uid'])
    .where('account', '=', ctx.session.account)
    .where(ctx.session.inList('rule_uid', rules))
    .execute();
  const column = new Map(rules.map((rule, index) => [rule, index]));
  return new Map(rows.map((row) => [row.rule_pk, column.get(row.rule_uid) as number]));
}
