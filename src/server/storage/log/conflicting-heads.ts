import { isOfItem } from '../../../sync/layers/record.ts';
import { ITEM_FIELDS, parseRegister } from '../../../sync/register.ts';
import type { ChangeIndex, EntryPosition } from './change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import type { ProfileUid } from '../../../shared/contract/ids.ts';

export interface RegisterHead extends EntryPosition {
  reg: string;
}

/** The heads of these registers beside the displayed ones. */
export async function conflictingHeads(
  ctx: ReadContext,
  stream: number,
  regs: readonly string[],
): Promise<Map<string, EntryPosition[]>> {
  if (regs.length === 0) return new Map();
  const rows = await ctx.session.db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx as index'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream)
    .where('reg', 'in', ctx.session.list(regs))
    .execute();
  return Map.groupBy(rows, ({ reg }) => reg);
}

/** Registers of items, in order of address. */
const ITEMS_FROM = 'item/';
const ITEMS_TO = 'item0';

/**
 * Heads that are not displayed, of the registers of these cells and of the fields of these items.
 */
export async function conflictingHeadsOf(
  ctx: ReadContext,
  stream: number,
  regs: readonly string[],
  items: readonly string[],
): Promise<RegisterHead[]> {
  const { db, list } = { db: ctx.session.db, list: ctx.session.list.bind(ctx.session) };
  const of = db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream);
  const anyItem = await of
    .where('reg', '>=', ITEMS_FROM)
    .where('reg', '<', ITEMS_TO)
    .limit(1)
    .executeTakeFirst();
  const wanted = [
    ...regs,
    ...(anyItem === undefined
      ? []
      : items.flatMap((item) => ITEM_FIELDS.map((field) => `${ITEMS_FROM}${field}/${item}`))),
  ];
  if (wanted.length === 0) return [];
  const rows = await of
    .where('reg', 'in', list(wanted))
    .orderBy('reg')
    .orderBy('seq')
    .orderBy('idx')
    .execute();
  return rows.map(({ reg, seq, idx }) => ({ reg, seq, index: idx }));
}

/** The same heads with their values as JSON. */
export async function textsOfHeads(
  changes: ChangeIndex,
  heads: readonly RegisterHead[],
): Promise<string[]> {
  const texts: string[] = [];
  for (const head of heads) {
    const { value } = await changes.entryAt(head);
    texts.push(
      `{"reg":${JSON.stringify(head.reg)},"head":"${changes.nameOf(head)}","value":${JSON.stringify(value)}}`,
    );
    if (texts.length % 100 === 0) await yieldToEventLoop();
  }
  return texts;
}

/**
 * Names that entries of these items cite as parents and that have not arrived. A replica that knows
 * them will not take one for a head when it does arrive.
 */
export async function missingParents(
  ctx: ReadContext,
  stream: number,
  { profile, version, rules }: { profile: ProfileUid; version: string; rules: readonly string[] },
  items: ReadonlySet<string>,
): Promise<{ reg: string; name: string }[]> {
  const rows = await ctx.session.db
    .selectFrom('cited')
    .select(['reg', 'name'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream)
    .orderBy('reg')
    .orderBy('name')
    .execute();
  return rows.filter(({ reg }) => {
    const register = parseRegister(reg);
    if (register === undefined || !isOfItem(register) || !items.has(register.item)) return false;
    return (
      register.kind === 'item' ||
      (register.profile === profile &&
        register.version === version &&
        rules.includes(register.rule))
    );
  });
}
