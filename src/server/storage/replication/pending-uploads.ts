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
      .where('account', '=', ctx.session.numberOf(account))
      .where('run_uid', '=', run_uid)
      .execute();
  else
    await ctx.session.insert('owed_runs', ['run_uid', 'code', 'at'], [[run_uid, code, ctx.at]], {
      target: ['run_uid'],
      update: ['code'],
    });
}

/** Those of projects that are shared now. */
export async function pendingUploads(
  ctx: ReadContext,
  account: AccountId,
): Promise<PendingUpload[]> {
  const { db, list } = ctx.session;
  const projects = await sharedProjects(ctx, account);
  const pending = await db
    .selectFrom('owed_runs')
    .select(['run_uid', 'code', 'at'])
    .where('account', '=', ctx.session.numberOf(account))
    .orderBy('run_uid')
    .execute();
  if (projects.length === 0 || pending.length === 0) return [];
  const runs = await db
    .selectFrom('runs')
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account', '=', 'runs.account')
        .onRef('cases.case_uid', '=', 'runs.case_uid'),
    )
    .select(['runs.run_uid', 'runs.case_uid'])
    .distinct()
    .where('runs.account', '=', ctx.session.numberOf(account))
    .where('runs.run_uid', 'in', list(pending.map(({ run_uid }) => run_uid)))
    .where('cases.project_id', 'in', list(projects))
    .execute();
  const ofShared = Map.groupBy(runs, ({ run_uid }) => run_uid);
  return pending.flatMap((upload) =>
    (ofShared.get(upload.run_uid) ?? []).map((run) => ({ ...upload, ...run })),
  );
}
