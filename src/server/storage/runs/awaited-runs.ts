import type { AccountId, CaseUid, ProjectId, RunUid } from '../../../shared/contract/ids.ts';
import type { WriteContext, ReadContext } from '../db/context.ts';
import { ContentHash } from '../../../shared/domain/run-record.ts';
import { limitOf } from '../db/permit.ts';

/** Notes runs that were announced and have not arrived. */
export async function awaitRuns(
  ctx: WriteContext,
  account: AccountId,
  caseUid: CaseUid,
  announced: readonly { run_uid: RunUid; content_hash: string }[],
): Promise<void> {
  const known = announced.filter(({ content_hash }) => ContentHash.safeParse(content_hash).success);
  for (const { run_uid, content_hash } of known) {
    const here = await ctx.session.db
      .selectFrom('runs')
      .select('run_pk')
      .where('account', '=', ctx.session.numberOf(account))
      .where('run_uid', '=', run_uid)
      .where('content_hash', '=', content_hash)
      .executeTakeFirst();
    if (here !== undefined) continue;
    await ctx.session.insert(
      'awaited_runs',
      ['run_uid', 'content_hash', 'case_uid'],
      [[run_uid, content_hash, caseUid]],
      { target: ['run_uid', 'content_hash'], update: [] },
    );
  }
}

/**
 * Runs that were announced and have not arrived: all of them, those of a case or of some projects,
 * or those with one run_uid.
 */
export async function awaitedRuns(
  ctx: ReadContext,
  account: AccountId,
  filter: { case_uid?: CaseUid; run_uid?: RunUid; projects?: readonly ProjectId[] },
): Promise<{ run_uid: RunUid; content_hash: string; case_uid: CaseUid }[]> {
  let query = ctx.session.db
    .selectFrom('awaited_runs')
    .select(['run_uid', 'content_hash', 'case_uid'])
    .where('account', '=', ctx.session.numberOf(account))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('run_pk')
            .whereRef('runs.account', '=', 'awaited_runs.account')
            .whereRef('runs.run_uid', '=', 'awaited_runs.run_uid')
            .whereRef('runs.content_hash', '=', 'awaited_runs.content_hash'),
        ),
      ),
    )
    .orderBy('run_uid')
    .orderBy('content_hash');
  for (const projects of [limitOf(ctx), filter.projects]) {
    if (projects === undefined) continue;
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('cases')
          .select('case_pk')
          .where('cases.account', '=', ctx.session.numberOf(account))
          .whereRef('cases.case_uid', '=', 'awaited_runs.case_uid')
          .where('cases.project_id', 'in', ctx.session.list(projects)),
      ),
    );
  }
  if (filter.case_uid !== undefined) query = query.where('case_uid', '=', filter.case_uid);
  if (filter.run_uid !== undefined) query = query.where('run_uid', '=', filter.run_uid);
  return query.execute();
}
