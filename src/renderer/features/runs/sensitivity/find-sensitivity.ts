import { type AgreeingRules, agreeingRules } from '../../../../shared/domain/rule-agreement.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import {
  countRows,
  type EvidenceBounds,
  evidenceBounds,
  type RowCounts,
  type WithoutRule,
  withoutEachRule,
} from '../../../../shared/domain/sensitivity.ts';
import type { Pace } from '../../../files/pace.ts';

/** What a run says of how sure its result is. */
export interface SensitivityAnswers {
  counts: RowCounts;
  bounds: EvidenceBounds;
  /** The rules whose absence changes the mean most first. */
  without: WithoutRule[];
  agreeing: AgreeingRules[];
  /** How many items have each number of NA and unrecorded cells. */
  missing: number[];
}

type FindableRun = Pick<RunRecord, 'frozen' | 'result' | 'settings'>;

/** Works in slices: a page with 10,000 items answers meanwhile. */
export async function findSensitivity(
  { frozen: { raw, rules }, result, settings }: FindableRun,
  pace: Pace,
): Promise<SensitivityAnswers> {
  const counts = countRows(raw);
  await pace();
  const bounds = evidenceBounds(counts, rules.length, settings);
  const without: WithoutRule[] = [];
  for (const found of withoutEachRule(raw, counts.present, rules.length, settings)) {
    without.push(found);
    await pace(found.column / (2 * rules.length));
  }
  const { mean_theta } = result.global;
  without.sort(
    (a, b) =>
      Math.abs(b.spread.mean_theta - mean_theta) - Math.abs(a.spread.mean_theta - mean_theta),
  );
  const work = agreeingRules(raw, rules.length);
  let step = work.next();
  while (step.done !== true) {
    await pace(0.5 + step.value / (2 * rules.length));
    step = work.next();
  }
  const missing = new Array<number>(rules.length + 1).fill(0);
  for (const [row, unknown] of counts.unavailable.entries()) {
    const sum = unknown + (counts.unrecorded[row] ?? 0);
    missing[sum] = (missing[sum] ?? 0) + 1;
  }
  return { counts, bounds, without, agreeing: step.value, missing };
}
