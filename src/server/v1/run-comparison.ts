import { compareRuns, MAX_COMPARED } from '../../shared/contract/v1/run-comparison.ts';
import type { RunComparison } from '../../shared/contract/v1/run-comparison.ts';
import type { AccountId, RunUid } from '../../shared/contract/ids.ts';
import type { ItemResult } from '../../shared/domain/result.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import { diffRuns } from '../../shared/domain/run-diff.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute } from '../http/route.ts';
import { type Page, readCursor, writeCursor } from '../storage/db/cursor.ts';
import type { Reader } from '../storage/repositories.ts';
import { missingRun } from './missing-run.ts';

const CURSOR = 'changed cells';

async function recordOf(
  reader: Reader,
  account: AccountId,
  uid: RunUid,
  hash: string | undefined,
): Promise<RunRecord> {
  const found = await reader.runs.get(account, uid, hash);
  if (found === undefined) throw await missingRun(reader, account, uid);
  return found.record;
}

const nameOf = (run: RunRecord): RunComparison['from'] => ({
  run_uid: run.run_uid,
  content_hash: run.content_hash,
  case_uid: run.case_uid,
  profile_uid: run.profile_uid,
  profile_version: run.profile_version,
  created_at: run.created_at,
});

const scoreOf = ({ k, m, theta_mean }: ItemResult): RunComparison['scores'][number]['from'] => ({
  k,
  m,
  theta_mean,
});

/** Throws invalid_query where the cursor is of another list. */
function compare(from: RunRecord, to: RunRecord, { limit, cursor }: Page): RunComparison {
  const diff = diffRuns(from, to);
  const start = cursor === undefined ? 0 : Number(readCursor(CURSOR, ['whole'], cursor)[0]);
  const end = start + limit;
  return {
    from: nameOf(from),
    to: nameOf(to),
    unlike: diff.unlike,
    counts: {
      items_in_both: diff.matched,
      items_added: diff.itemsAdded.length,
      items_removed: diff.itemsGone.length,
      cells: diff.cells.length,
      scores: diff.scores.length,
    },
    rules: diff.rules.map(({ uid, name, kind, cells }) => ({
      rule_uid: uid,
      name,
      change: kind,
      cells,
    })),
    items_added: diff.itemsAdded.slice(0, MAX_COMPARED),
    items_removed: diff.itemsGone.slice(0, MAX_COMPARED),
    scores: diff.scores.slice(0, MAX_COMPARED).map((score) => ({
      item_uid: score.item,
      label: score.label,
      from: scoreOf(score.from),
      to: scoreOf(score.to),
    })),
    cells: diff.cells.slice(start, end).map(({ item, rule, ...cell }) => ({
      item_uid: item,
      rule_uid: rule,
      ...cell,
    })),
    next_cursor: end < diff.cells.length ? writeCursor(CURSOR, [end]) : null,
  };
}

export const runComparisonRoutes: readonly Route[] = [
  readRoute(compareRuns, async ({ actor, params, query, reader }) => {
    const { account_id } = actor;
    const from = await recordOf(reader, account_id, params.runUid, query.content_hash);
    const to = await recordOf(reader, account_id, params.otherUid, query.other_hash);
    return {
      status: 200,
      value: compare(from, to, toPage(query)),
      counted: { resource: params.runUid },
    };
  }),
];
