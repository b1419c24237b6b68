import type { AccountId, CaseUid, ProjectId, ProfileUid } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { type Page, type Listed, readCursor, writeCursor } from '../db/cursor.ts';
import type { ContestedMatrix } from '../../../shared/contract/v1/cases.ts';
import { sql } from 'kysely';
import { limitOf } from '../db/permit.ts';
import { needCase } from '../records/cases.ts';
import { profileForCase } from '../records/case-profile.ts';
import { beneathDeletions } from './beneath-deletions.ts';
import { StoreError } from '../db/errors.ts';

interface MatrixFilter {
  project_id: ProjectId | undefined;
  cases?: readonly CaseUid[] | undefined;
}

/** Matrices behind the cursor, with the contested cells of their shown rows. */
function ownMatrices(
  ctx: ReadContext,
  account: AccountId,
  filter: MatrixFilter,
  cursor: Page['cursor'],
) {
  let own = ctx.session.db
    .selectFrom('cases')
    .innerJoin('matrices', (join) =>
      join
        .onRef('matrices.account', '=', 'cases.account')
        .onRef('matrices.case_pk', '=', 'cases.case_pk'),
    )
    .select(({ selectFrom, fn, ref }) => [
      'matrix_pk',
      'case_uid',
      'matrices.profile_uid',
      'matrices.profile_version',
      'item_rows',
      ref('item_count').as('item_count'),
      selectFrom('cells')
        .innerJoin('items', (join) =>
          join
            .onRef('items.account', '=', 'cells.account')
            .onRef('items.item_pk', '=', 'cells.item_pk'),
        )
        .whereRef('cells.account', '=', 'matrices.account')
        .whereRef('cells.matrix_pk', '=', 'matrices.matrix_pk')
        .where(sql<boolean>`cells.contested <> 0`)
        .where('items.deleted', '=', 0)
        .select(fn.countAll<number>().as('n'))
        .as('cells'),
    ])
    .where('cases.account', '=', ctx.session.numberOf(account))
    // The sign keeps SQLite from walking over all cases by an index on deleted where some are named.
    .where(sql<boolean>`+cases.deleted = 0`);
  if (filter.project_id !== undefined) own = own.where('cases.project_id', '=', filter.project_id);
  if (filter.cases !== undefined)
    own = own.where(ctx.session.inList('cases.case_uid', filter.cases));
  const limit = limitOf(ctx);
  if (limit !== undefined) own = own.where(ctx.session.inList('cases.project_id', limit));
  if (cursor !== undefined)
    own = own.where(
      'matrix_pk',
      '>',
      readCursor('contested_matrices', ['whole'], cursor)[0] as number,
    );
  return own;
}

/**
 * Matrices of the account's own cases with contested cells, of shown rows and beneath deletions.
 * The condition is written exactly as in the partial index, so that the planner uses it; only where
 * rows were deleted is looked beneath them, so a page may have fewer entries than asked for.
 */
export async function contestedMatrices(
  ctx: ReadContext,
  account: AccountId,
  filter: MatrixFilter,
  page: Page,
): Promise<Listed<ContestedMatrix>> {
  const query = ctx.session.db
    .selectFrom(ownMatrices(ctx, account, filter, page.cursor).as('own'))
    .selectAll()
    .where(({ eb, or }) => or([eb('cells', '>', 0), eb('item_rows', '>', eb.ref('item_count'))]))
    .orderBy('matrix_pk')
    .limit(page.limit + 1);
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const data: ContestedMatrix[] = [];
  for (const { matrix_pk, cells, item_rows, item_count, ...matrix } of shown) {
    const beneath =
      item_rows > item_count ? await countBeneath(ctx, account, matrix_pk, matrix) : 0;
    if (Number(cells) + beneath > 0)
      data.push({ ...matrix, cells: Number(cells) + beneath, beneath });
  }
  return {
    data,
    next_cursor:
      rows.length > page.limit && last !== undefined
        ? writeCursor('contested_matrices', [last.matrix_pk])
        : null,
  };
}

/** None where the document that the case names has not come here: reading the matrix says so. */
async function countBeneath(
  ctx: ReadContext,
  account: AccountId,
  matrix: number,
  {
    case_uid,
    profile_uid,
    profile_version,
  }: { case_uid: CaseUid; profile_uid: ProfileUid; profile_version: string },
): Promise<number> {
  const stored = await needCase(ctx, account, case_uid);
  try {
    const { profile } = await profileForCase(ctx, account, stored, profile_uid, profile_version);
    return (await beneathDeletions(ctx, stored, matrix, profile, true)).length;
  } catch (error) {
    if (
      error instanceof StoreError &&
      (error.code === 'not_here_yet' || error.code === 'not_found')
    )
      return 0;
    throw error;
  }
}
