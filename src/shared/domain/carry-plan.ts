import type { ProfileDocument } from './profile.ts';
import { compareRules, type RuleComparison } from './profile-comparison.ts';

export type ReviewRule = Extract<RuleComparison, { kind: 'changed' | 'unchanged' }>;

/** What becomes of each rule's outcomes under the other version. */
export interface RulePlan {
  /** Text unchanged: outcomes mean the same and are copied. */
  copied: ReviewRule[];
  /** Text changed: a person must look again. */
  review: ReviewRule[];
  removed: Extract<RuleComparison, { kind: 'removed' }>[];
  added: Extract<RuleComparison, { kind: 'added' }>[];
}

export function planRules(from: ProfileDocument, to: ProfileDocument): RulePlan {
  const plan: RulePlan = { copied: [], review: [], removed: [], added: [] };
  for (const rule of compareRules(from, to)) {
    if (rule.kind === 'added') plan.added.push(rule);
    else if (rule.kind === 'removed') plan.removed.push(rule);
    else (rule.kind === 'unchanged' ? plan.copied : plan.review).push(rule);
  }
  return plan;
}
