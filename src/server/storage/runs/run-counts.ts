import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { awaitedRuns } from './awaited-runs.ts';

/** How far the contents of a case's runs are here. */
export interface ContentCount {
  case_uid: CaseUid;
  /** Known here or announced, each content of each run once. */
  known: number;
  /** Not whole here, whether they never came or were damaged. */
  lacking: number;
}

/** Counts a run that the transaction has added. */
export async function countRun(
  ctx: WriteContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<void> {
  await ctx.session.db
    .insertInto('run_counts')
    .values({ account: ctx.session.numberOf(account), case_uid: caseUid, runs: 1 })
    .onConflict((oc) =>
      oc
        .columns(['account', 'case_uid'])
        .doUpdateSet(({ eb, ref }) => ({ runs: eb(ref('run_counts.runs'), '+', 1) })),
    )
    .execute();
}

type RunsByCase = Map<CaseUid, number>;

/** Counted here: grouped by case, SQLite would go through all runs in the order of their cases. */
function byCase(runs: readonly { case_uid: CaseUid }[]): RunsByCase {
  const counts: RunsByCase = new Map();
  for (const { case_uid } of runs) counts.set(case_uid, (counts.get(case_uid) ?? 0) + 1);
  return counts;
}

/** By case: the runs whose contents were found not to be whole. */
export async function damagedByCase(ctx: ReadContext, account: AccountId): Promise<RunsByCase> {
  const { db, list } = ctx.session;
  const damaged = await db
    .selectFrom('damaged_contents')
    .select('content_hash')
    .where('account', '=', ctx.session.numberOf(account))
    .execute();
  if (damaged.length === 0) return new Map();
  return byCase(
    await db
      .selectFrom('runs')
      .select('case_uid')
      .where('account', '=', ctx.session.numberOf(account))
      .where('content_hash', 'in', list(damaged.map(({ content_hash }) => content_hash)))
      .execute(),
  );
}

/** Of those of these cases that have runs, or await some. */
export async function contentCounts(
  ctx: ReadContext,
  account: AccountId,
  cases: readonly CaseUid[],
): Promise<ContentCount[]> {
  if (cases.length === 0) return [];
  const { db, list } = ctx.session;
  const rows = await db
    .selectFrom('run_counts')
    .select(['case_uid', 'runs'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('case_uid', 'in', list(cases))
    .execute();
  const here = new Map(rows.map(({ case_uid, runs }) => [case_uid, runs]));
  const damaged = await damagedByCase(ctx, account);
  const awaited = byCase(await awaitedRuns(ctx, account, {}));
  return cases.flatMap((case_uid) => {
    const missing = awaited.get(case_uid) ?? 0;
    const known = (here.get(case_uid) ?? 0) + missing;
    return known === 0
      ? []
      : [{ case_uid, known, lacking: missing + (damaged.get(case_uid) ?? 0) }];
  });
}
