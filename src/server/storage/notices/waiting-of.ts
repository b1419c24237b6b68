import { sql } from 'kysely';
import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { listWaiting } from '../discussion/waiting.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';

const DECIDED = '{"entry":"';
/**
 * Whether no decision is about what the source says now; canonical, one begins with what it names.
 */
const undecided = sql<boolean>`(decision IS NULL OR substr(decision, ${DECIDED.length + 1},
  length(change_id) + length(CAST(head_index AS text)) + 2) <> change_id || '#' || head_index || '"')`;

/**
 * What waits for the caller now: threads, assigned items and rules, and cases of these with
 * suggestions that nobody has decided about. Whoever records cells of a case without seeing the
 * others' is told of no suggestions there.
 */
export async function waitingOf(
  ctx: ReadContext,
  account: AccountId,
  cases: readonly CaseUid[],
): Promise<{ threads: number; places: number; cases: number }> {
  const { session } = ctx;
  const waiting = await listWaiting(ctx, account);
  let open = 0;
  for (const caseUid of new Set(cases)) {
    if ((await hiddenCells(ctx, account, caseUid)) !== undefined) continue;
    const found = await session.db
      .selectFrom('suggestions')
      .innerJoin('cases', (join) =>
        join
          .onRef('cases.account', '=', 'suggestions.account')
          .onRef('cases.stream_pk', '=', 'suggestions.stream_pk'),
      )
      .innerJoin('changes', (join) =>
        join
          .onRef('changes.account', '=', 'suggestions.account')
          .onRef('changes.stream_pk', '=', 'suggestions.stream_pk')
          .onRef('changes.seq', '=', 'suggestions.head_seq'),
      )
      .select('source')
      .where('suggestions.account', '=', session.account)
      .where('case_uid', '=', caseUid)
      .where('deleted', '=', 0)
      .where('archived', '=', 0)
      .where('value', 'is not', null)
      .where(undecided)
      .limit(1)
      .executeTakeFirst();
    if (found !== undefined) open += 1;
  }
  return {
    threads: waiting.reduce((sum, one) => sum + one.waiting, 0),
    places: waiting.reduce((sum, one) => sum + one.items + one.rules, 0),
    cases: open,
  };
}
