import { freezeRun, type RunRecord } from '../../../../src/shared/domain/run.ts';
import { testHasher } from '../../../support/hasher.ts';
import { sampleInput, sampleProfile, sampleRecord } from './run-sample.ts';

export const PRESENT = 'FALSE';
const ITEMS = 50;
const RULES = 24;

/**
 * A run of 50 items under 24 rules, half of them rarely met: for what other programs compute from
 * ones and zeros.
 */
export function binaryExample(): RunRecord {
  const rules = Array.from({ length: RULES }, (_, index) => ({
    ...sampleProfile.rules[0]!,
    ruleOrder: index + 1,
    ruleUid: `rule_${index + 1}`,
  }));
  const items = Array.from({ length: ITEMS }, (_, index) => ({
    item_uid: `item_${index + 1}`,
    item_type: 'variant',
    label: `Item ${index + 1}`,
    metadata: {},
    position: index + 1,
  }));
  const cells = items.flatMap(({ item_uid, position }) =>
    rules.map(({ ruleUid, ruleOrder }) => {
      // A fixed mixture: how often a rule is met falls with its number and the item's.
      const drawn = (position * 7919 + ruleOrder * 104_729 + position * ruleOrder * 31) % 97;
      const raw_outcome =
        drawn < 92 - ruleOrder * 2 - position ? PRESENT : drawn % 3 === 0 ? 'NA' : 'TRUE';
      return { item_uid, rule_uid: ruleUid, raw_outcome } as const;
    }),
  );
  const input = { ...sampleInput, profile: { ...sampleProfile, rules }, items, cells };
  return { ...sampleRecord(), ...freezeRun(input, testHasher) };
}
