import type { CaseUid, RunUid } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';

/** Leaves runs of a case out of lists, or shows them again. */
export async function hideRuns(
  { session }: WriteContext,
  caseUid: CaseUid,
  runs: ReadonlyMap<RunUid, boolean>,
): Promise<void> {
  for (const [runUid, isHidden] of runs) {
    const { account } = session;
    if (isHidden)
      await session.insert('hidden_runs', ['run_uid', 'case_uid'], [[runUid, caseUid]], {
        target: ['run_uid', 'case_uid'],
        update: [],
      });
    else
      await session.change(
        session.db
          .deleteFrom('hidden_runs')
          .where('account', '=', account)
          .where('run_uid', '=', runUid)
          .where('case_uid', '=', caseUid),
      );
  }
}

export async function isHiddenRun(
  { session }: ReadContext,
  runUid: RunUid,
  caseUid: CaseUid,
): Promise<boolean> {
  const row = await session.db
    .selectFrom('hidden_runs')
    .select('run_uid')
    .where('account', '=', session.account)
    .where('run_uid', '=', runUid)
    .where('case_uid', '=', caseUid)
    .executeTakeFirst();
  return row !== undefined;
}
