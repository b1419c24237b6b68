import type { Contested } from '../../../shared/contract/v1/evidence.ts';
import { contentKey } from '../../../sync/assertion.ts';
import { columnPrefix, parseRegister, type Register } from '../../../sync/register.ts';
import { profileForCase } from '../records/case-profile.ts';
import { type Beneath, beneathDeletions, placeOf } from './beneath-deletions.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import type { HeadRef } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import { findMatrix } from './evidence-read.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { Changes, headOf } from '../records/writings.ts';

/** Registers examined for one page, contested or not. */
const LOOKED_AT = 1_000;

/**
 * The displayed heads of these registers. Of an item that is not shown, only the head of its
 * existence (`x`) counts.
 */
async function displayedHeads(
  ctx: ReadContext,
  casePk: number,
  matrix: number | undefined,
  registers: readonly (readonly [string, Register])[],
): Promise<Map<string, HeadRef>> {
  const { db } = ctx.session;
  const items = ctx.session.list([
    ...new Set(registers.flatMap(([, register]) => ('item' in register ? [register.item] : []))),
  ]);
  const heads = new Map<string, HeadRef>();
  const wanted = new Map(registers);
  const put = (
    reg: string,
    seq: number | null | undefined,
    index: number | null | undefined,
  ): void => {
    if (
      wanted.has(reg) &&
      seq !== null &&
      seq !== undefined &&
      index !== null &&
      index !== undefined
    )
      heads.set(reg, { seq, index });
  };
  const rows = await db
    .selectFrom('items')
    .select(['item_uid', 'deleted', 'heads'])
    .where('case_pk', '=', casePk)
    .where('item_uid', 'in', items)
    .execute();
  for (const { item_uid, deleted, heads: stored } of rows) {
    for (const [field, [seq, index]] of Object.entries(
      JSON.parse(stored) as Record<string, [number, number]>,
    ))
      if (deleted === 0 || field === 'x') put(`item/${field}/${item_uid}`, seq, index);
  }
  if (matrix === undefined) return heads;
  const cells = await db
    .selectFrom('cells')
    .innerJoin('items', 'items.item_pk', 'cells.item_pk')
    .innerJoin('rule_names', 'rule_names.rule_pk', 'cells.rule_pk')
    .innerJoin('matrices', 'matrices.matrix_pk', 'cells.matrix_pk')
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
    .where('cells.matrix_pk', '=', matrix)
    .where('further', '<>', 0)
    .where('deleted', '=', 0)
    .where('item_uid', 'in', items)
    .execute();
  for (const cell of cells) {
    put(
      columnPrefix('assertion', cell.profile_uid, cell.profile_version, cell.rule_uid) +
        cell.item_uid,
      cell.head_seq,
      cell.head_index,
    );
    put(
      columnPrefix('notes', cell.profile_uid, cell.profile_version, cell.rule_uid) + cell.item_uid,
      cell.notes_seq,
      cell.notes_index,
    );
  }
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
  account: string,
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
  const shown =
    part === SHOWN
      ? await shownPage(ctx, stored, matrix, profile, after, page.limit)
      : { data: [], next: null };
  if (shown.next !== null)
    return { data: shown.data, next_cursor: writeCursor('contested', [SHOWN, shown.next]) };
  const beneath = (await beneathDeletions(ctx, stored, matrix, profile)).filter(
    ({ reg }) => part === SHOWN || reg > after,
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

async function shownPage(
  ctx: ReadContext,
  stored: StoredCase,
  matrix: number | undefined,
  { document }: StoredProfile,
  after: string,
  limit: number,
): Promise<{ data: Contested[]; next: string | null }> {
  const { db } = ctx.session;
  const looked = await db
    .selectFrom('extra_heads')
    .select('reg')
    .distinct()
    .where('stream_pk', '=', stored.streamPk)
    .where('reg', '>', after)
    .orderBy('reg')
    .limit(LOOKED_AT)
    .execute();
  const registers = looked.flatMap(({ reg }) => {
    const register = parseRegister(reg);
    const isHere =
      register?.kind === 'item' ||
      ((register?.kind === 'assertion' || register?.kind === 'notes') &&
        register.profile === document.profileUid &&
        register.version === document.version);
    return isHere ? [[reg, register] as const] : [];
  });
  const shown =
    registers.length === 0
      ? new Map<string, HeadRef>()
      : await displayedHeads(ctx, stored.pk, matrix, registers);
  const changes = new Changes(ctx, stored.streamPk);
  const further = Map.groupBy(
    shown.size === 0
      ? []
      : await db
          .selectFrom('extra_heads')
          .select(['reg', 'seq', 'idx'])
          .where('stream_pk', '=', stored.streamPk)
          .where('reg', 'in', ctx.session.list([...shown.keys()]))
          .execute(),
    ({ reg }) => reg,
  );
  const data: Contested[] = [];
  let last = looked.at(-1)?.reg;
  let more = looked.length === LOOKED_AT;
  for (const [at, [reg, register]] of registers.entries()) {
    const displayed = shown.get(reg);
    if (displayed === undefined || !('item' in register)) continue;
    const others = further.get(reg) ?? [];
    await changes.load([displayed.seq, ...others.map(({ seq }) => seq)]);
    const heads = [await headOf(changes, displayed, true)];
    for (const { seq, idx } of others)
      heads.push(await headOf(changes, { seq, index: idx }, false));
    if (new Set(heads.map(({ value }) => contentKey(register, value))).size < 2) continue;
    data.push({
      item_uid: register.item,
      rule_uid: register.kind === 'item' ? null : register.rule,
      field:
        register.kind === 'item' ? register.field : register.kind === 'notes' ? 'notes' : 'outcome',
      heads,
      deletion: null,
    });
    if (data.length === limit) {
      last = reg;
      more ||= at < registers.length - 1;
      break;
    }
  }
  return { data, next: more && last !== undefined ? last : null };
}
