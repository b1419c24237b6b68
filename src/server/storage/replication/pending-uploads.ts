import type { AccountId, CaseUid, RunUid } from '../../../shared/contract/ids.ts';
import type { WriteContext, ReadContext } from '../db/context.ts';
import { sharedProjects } from './shared-streams.ts';

/** `code`: why it was not taken; `at`: when that was first found. */
export interface PendingUpload {
  run_uid: RunUid;
  case_uid: CaseUid;
  code: string;
  at: string;
}

/** Notes a run that the other server has not accepted; null: it was accepted. */
export async function notePendingUpload(
  ctx: WriteContext,
  account: AccountId,
  run_uid: RunUid,
  code: string | null,
): Promise<void> {
  const { db } = ctx.session;
  if (code === null)
    await db
      .deleteFrom('owed_runs')
      .where('account_id', '=', account)
      .where('run_uid', '=', run_uid)
      .execute();
  else
    await ctx.session.insert(
      'owed_runs',
      ['account_id', 'run_uid', 'code', 'at'],
      [[account, run_uid, code, ctx.at]],
      { target: ['account_id', 'run_uid'], update: ['code'] },
    );
}

/** Those of projects that are shared now. */
export async function pendingUploads(
  ctx: ReadContext,
  account: AccountId,
): Promise<PendingUpload[]> {
  const projects = await sharedProjects(ctx, account);
  if (projects.length === 0) return [];
  return ctx.session.db
    .selectFrom('owed_runs')
    .innerJoin('runs', (join) =>
      join
        .onRef('runs.account_id', '=', 'owed_runs.account_id')
        .onRef('runs.run_uid', '=', 'owed_runs.run_uid'),
    )
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account_id', '=', 'runs.account_id')
        .onRef('cases.case_uid', '=', 'runs.case_uid'),
    )
    .select(['owed_runs.run_uid', 'runs.case_uid', 'owed_runs.code', 'owed_runs.at'])
    .distinct()
    .where('owed_runs.account_id', '=', account)
    .where('cases.project_id', 'in', ctx.session.list(projects))
    .orderBy('owed_runs.run_uid')
    .execute();
}
