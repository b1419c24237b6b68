import type { ProfileRule } from './profile.ts';

const fold = (word: string): string =>
  word.trim().normalize('NFC').replaceAll(/\s+/g, ' ').toLowerCase();

/**
 * Finds a rule by its uid or its name, and says by which; case, white space and the form of accents
 * do not count. A name that two rules have leads to neither.
 */
export function ruleNames(
  rules: readonly Pick<ProfileRule, 'ruleUid' | 'name'>[],
): (word: string) => { ruleUid: string; by: 'uid' | 'name' } | undefined {
  const found = new Map<string, { ruleUid: string; by: 'uid' | 'name' } | undefined>();
  for (const { name, ruleUid } of rules)
    found.set(fold(name), found.has(fold(name)) ? undefined : { ruleUid, by: 'name' });
  for (const { ruleUid } of rules) found.set(fold(ruleUid), { ruleUid, by: 'uid' });
  return (word) => found.get(fold(word));
}

/** Finds a rule's uid as `ruleNames` does. */
export function rulesByWord(
  rules: readonly Pick<ProfileRule, 'ruleUid' | 'name'>[],
): (word: string) => string | undefined {
  const find = ruleNames(rules);
  return (word) => find(word)?.ruleUid;
}
