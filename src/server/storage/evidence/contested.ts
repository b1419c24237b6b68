import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Contested } from '../../../shared/contract/v1/contested.ts';
import { contentKey } from '../../../sync/assertion.ts';
import { columnPrefix, parseRegister, type Register } from '../../../sync/register.ts';
import { profileForCase } from '../records/case-profile.ts';
import { type Beneath, beneathDeletions, placeOf } from './beneath-deletions.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import { conflictingHeads } from '../log/conflicting-heads.ts';
import { findMatrix } from '../records/matrices.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { Changes, headOf } from '../records/authorship.ts';
import { type HiddenCells, hiddenCells } from '../rounds/hidden-cells.ts';
import { namedCells } from './evidence-read.ts';

/** Registers examined for one page, contested or not. */
const LOOKED_AT = 1_000;

/** Heads of registers by name, as the store says them: without a number there is none. */
type RegisterHeadTuple = readonly [reg: string, seq: number | null, index: number | null];

/**
 * The displayed heads of the fields of items. Of an item that is not shown, only the head of its
 * existence (`x`) counts.
 */
async function itemHeads(
  ctx: ReadContext,
  casePk: number,
  items: readonly string[],
): Promise<RegisterHeadTuple[]> {
  const rows = await ctx.session.db
    .selectFrom('items')
    .select(['item_uid', 'deleted', 'heads'])
    .where('account', '=', ctx.session.account)
    .where('case_pk', '=', casePk)
    .where(ctx.session.inList('item_uid', items))
    .execute();
  return rows.flatMap(({ item_uid, deleted, heads }) =>
    Object.entries(JSON.parse(heads) as Record<string, [number, number]>).flatMap(
      ([field, [seq, index]]): RegisterHeadTuple[] =>
        deleted === 0 || field === 'x' ? [[`item/${field}/${item_uid}`, seq, index]] : [],
    ),
  );
}

/** The displayed heads of the cells of items that are shown, where they have others beside them. */
async function cellHeads(
  ctx: ReadContext,
  matrix: number,
  items: readonly string[],
): Promise<RegisterHeadTuple[]> {
  const cells = await namedCells(ctx)
    .innerJoin('matrices', (join) =>
      join
        .onRef('matrices.account', '=', 'cells.account')
        .onRef('matrices.matrix_pk', '=', 'cells.matrix_pk'),
    )
    .select([
      'item_uid',
      'rule_uid',
      'profile_uid',
      'profile_version',
      'head_seq',
      'head_index',
      'notes_seq',
      'notes_index',
    ])
    .where('cells.account', '=', ctx.session.account)
    .where('cells.matrix_pk', '=', matrix)
    .where('further', '<>', 0)
    .where('deleted', '=', 0)
    .where(ctx.session.inList('item_uid', items))
    .execute();
  return cells.flatMap((cell): RegisterHeadTuple[] => {
    const regOf = (kind: 'assertion' | 'notes'): string =>
      columnPrefix(kind, cell.profile_uid, cell.profile_version, cell.rule_uid) + cell.item_uid;
    return [
      [regOf('assertion'), cell.head_seq, cell.head_index],
      [regOf('notes'), cell.notes_seq, cell.notes_index],
    ];
  });
}

async function displayedHeads(
  ctx: ReadContext,
  casePk: number,
  matrix: number | undefined,
  registers: readonly (readonly [string, Register])[],
): Promise<Map<string, EntryPosition>> {
  if (registers.length === 0) return new Map();
  const wanted = new Map(registers);
  const items = [
    ...new Set(registers.flatMap(([, register]) => ('item' in register ? [register.item] : []))),
  ];
  const stored = [
    ...(await itemHeads(ctx, casePk, items)),
    ...(matrix === undefined ? [] : await cellHeads(ctx, matrix, items)),
  ];
  const heads = new Map<string, EntryPosition>();
  for (const [reg, seq, index] of stored)
    if (wanted.has(reg) && seq !== null && index !== null) heads.set(reg, { seq, index });
  return heads;
}

/** The two parts of the list. */
const SHOWN = 'shown';
const BENEATH = 'beneath';

/**
 * Everything contested in a matrix and in its items, with every head and who wrote it: first of the
 * rows that are shown, then what stands beneath deletions.
 */
export async function contestedPage(
  ctx: ReadContext,
  account: AccountId,
  query: MatrixQuery,
  page: Page,
): Promise<Listed<Contested>> {
  const [part, after] =
    page.cursor === undefined
      ? [SHOWN, '']
      : (readCursor('contested', ['string', 'string'], page.cursor) as [string, string]);
  const stored = await needAnyCase(ctx, account, query.case_uid);
  const { profile } = await profileForCase(
    ctx,
    account,
    stored,
    query.profile_uid,
    query.profile_version,
  );
  const matrix = await findMatrix(
    ctx,
    stored.pk,
    profile.document.profileUid,
    profile.document.version,
  );
  const hidden = await hiddenCells(ctx, account, stored.record.case_uid);
  const shown =
    part === SHOWN
      ? await shownPage(ctx, stored, matrix, profile, { after, limit: page.limit, hidden })
      : { data: [], next: null };
  if (shown.next !== null)
    return { data: shown.data, next_cursor: writeCursor('contested', [SHOWN, shown.next]) };
  const beneath = (await beneathDeletions(ctx, stored, matrix, profile)).filter(
    ({ reg }) => (part === SHOWN || reg > after) && hidden?.hidesAddress(reg) !== true,
  );
  const some = beneath.slice(0, page.limit - shown.data.length);
  const data = [...shown.data, ...(await beneathEntries(ctx, stored, some))];
  return {
    data,
    next_cursor:
      some.length < beneath.length
        ? writeCursor('contested', [BENEATH, some.at(-1)?.reg ?? ''])
        : null,
  };
}

async function beneathEntries(
  ctx: ReadContext,
  { streamPk }: StoredCase,
  beneath: readonly Beneath[],
): Promise<Contested[]> {
  const changes = new Changes(ctx, streamPk);
  const data: Contested[] = [];
  for (const { reg, deletion, heads } of beneath) {
    await changes.load([deletion.seq, ...heads.map(({ seq }) => seq)]);
    const written: Contested['heads'] = [];
    for (const [at, head] of heads.entries()) written.push(await headOf(changes, head, at === 0));
    const { displayed: _, value: __, ...deleted } = await headOf(changes, deletion, true);
    data.push({ ...placeOf(reg), heads: written, deletion: deleted });
  }
  return data;
}

/**
 * The next registers with several heads, and those of them that are of this matrix or its items.
 */
async function registersAfter(
  ctx: ReadContext,
  stream: number,
  { document }: StoredProfile,
  after: string,
): Promise<{ looked: readonly string[]; registers: (readonly [string, Register])[] }> {
  const rows = await ctx.session.db
    .selectFrom('extra_heads')
    .select('reg')
    .distinct()
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream)
    .where('reg', '>', after)
    .orderBy('reg')
    .limit(LOOKED_AT)
    .execute();
  const looked = rows.map(({ reg }) => reg);
  const registers = looked.flatMap((reg) => {
    const register = parseRegister(reg);
    const isHere =
      register?.kind === 'item' ||
      ((register?.kind === 'assertion' || register?.kind === 'notes') &&
        register.profile === document.profileUid &&
        register.version === document.version);
    return isHere ? [[reg, register] as const] : [];
  });
  return { looked, registers };
}

type ShownRegister = Extract<Register, { item: string }>;

/** What is contested in a register; undefined where all of its heads say the same. */
async function contestedIn(
  changes: Changes,
  register: ShownRegister,
  displayed: EntryPosition,
  others: readonly EntryPosition[],
): Promise<Contested | undefined> {
  await changes.load([displayed.seq, ...others.map(({ seq }) => seq)]);
  const heads = [await headOf(changes, displayed, true)];
  for (const { seq, index } of others) heads.push(await headOf(changes, { seq, index }, false));
  if (new Set(heads.map(({ value }) => contentKey(register, value))).size < 2) return undefined;
  return {
    item_uid: register.item,
    rule_uid: register.kind === 'item' ? null : register.rule,
    field:
      register.kind === 'item' ? register.field : register.kind === 'notes' ? 'notes' : 'outcome',
    heads,
    deletion: null,
  };
}

async function shownPage(
  ctx: ReadContext,
  stored: StoredCase,
  matrix: number | undefined,
  profile: StoredProfile,
  { after, limit, hidden }: { after: string; limit: number; hidden: HiddenCells | undefined },
): Promise<{ data: Contested[]; next: string | null }> {
  const { looked, registers: all } = await registersAfter(ctx, stored.streamPk, profile, after);
  const registers = all.filter(([reg]) => hidden?.hidesAddress(reg) !== true);
  const shown = await displayedHeads(ctx, stored.pk, matrix, registers);
  const conflicting = await conflictingHeads(ctx, stored.streamPk, [...shown.keys()]);
  const changes = new Changes(ctx, stored.streamPk);
  const data: Contested[] = [];
  let last = looked.at(-1);
  let more = looked.length === LOOKED_AT;
  for (const [at, [reg, register]] of registers.entries()) {
    const displayed = shown.get(reg);
    if (displayed === undefined || !('item' in register)) continue;
    const found = await contestedIn(changes, register, displayed, conflicting.get(reg) ?? []);
    if (found === undefined) continue;
    data.push(found);
    if (data.length === limit) {
      last = reg;
      more ||= at < registers.length - 1;
      break;
    }
  }
  return { data, next: more && last !== undefined ? last : null };
}
