import fc from 'fast-check';
import type { ProfileDocument, ProfileRule } from '../../../src/shared/domain/profile.ts';
import { asProfile } from '../../support/ids.ts';

export const ruleOf = (
  ruleUid: string,
  texts: Partial<ProfileRule> = {},
): Omit<ProfileRule, 'ruleOrder'> => ({
  ruleUid,
  name: `Name of ${ruleUid}`,
  description: 'What to check.',
  evidenceMeaning: 'It is there.',
  problemMeaning: 'It is not.',
  notAvailableMeaning: 'Nobody can say.',
  ...texts,
});

export function profileWith(
  rules: readonly Omit<ProfileRule, 'ruleOrder'>[],
  header: Partial<ProfileDocument> = {},
): ProfileDocument {
  return {
    name: 'Test',
    profileUid: asProfile('test_profile'),
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'd',
    scope: 's',
    maintainer: 'm',
    ...header,
    rules: rules.map((rule, index) => ({ ruleOrder: index + 1, ...rule })),
  };
}

export const UIDS = ['rule_a', 'rule_b', 'rule_c', 'rule_d', 'rule_e', 'rule_f'] as const;

/** A profile of some of six rules in any order, each with one of two texts. */
export const someProfile = fc
  .uniqueArray(fc.record({ uid: fc.constantFrom(...UIDS), text: fc.constantFrom('one', 'two') }), {
    selector: (rule) => rule.uid,
    minLength: 1,
  })
  .map((rules) => profileWith(rules.map(({ uid, text }) => ruleOf(uid, { description: text }))));
