import type { AccountId, ProjectId } from '../../../shared/contract/ids.ts';
import type { DeletedCase } from '../../../shared/contract/v1/cases.ts';
import { formatRegister } from '../../../sync/register.ts';
import { casesPage } from './cases.ts';
import type { ReadContext } from '../db/context.ts';
import { Changes, headOf } from './authorship.ts';
import type { Listed, Page } from '../db/cursor.ts';

const EXISTENCE = formatRegister({ kind: 'case', field: 'x' });

/** Deleted cases with the writing that deleted each. */
export async function deletedCases(
  ctx: ReadContext,
  account: AccountId,
  filter: { project_id: ProjectId | undefined },
  page: Page,
): Promise<Listed<DeletedCase>> {
  const { data: cases, next_cursor } = await casesPage(
    ctx,
    account,
    { ...filter, state: 'deleted' },
    page,
  );
  const data: DeletedCase[] = [];
  for (const { record, streamPk } of cases) {
    const head = await ctx.session.db
      .selectFrom('registers')
      .select(['head_seq', 'head_index'])
      .where('account', '=', ctx.session.account)
      .where('stream_pk', '=', streamPk)
      .where('reg', '=', EXISTENCE)
      .executeTakeFirstOrThrow();
    const changes = new Changes(ctx, streamPk);
    await changes.load([head.head_seq]);
    const {
      displayed: _,
      value: __,
      ...deletion
    } = await headOf(changes, { seq: head.head_seq, index: head.head_index }, true);
    data.push({ ...record, deletion });
  }
  return { data, next_cursor };
}
