import type { ProfileRule } from './profile.ts';

const fold = (word: string): string =>
  word.trim().normalize('NFC').replaceAll(/\s+/g, ' ').toLowerCase();

/**
 * Finds a rule by its uid or its name; case, white space and the form of accents do not count. A
 * name that two rules have leads to neither.
 */
export function rulesByWord(
  rules: readonly Pick<ProfileRule, 'ruleUid' | 'name'>[],
): (word: string) => string | undefined {
  const found = new Map<string, string | undefined>();
  for (const { name, ruleUid } of rules)
    found.set(fold(name), found.has(fold(name)) ? undefined : ruleUid);
  for (const { ruleUid } of rules) found.set(fold(ruleUid), ruleUid);
  return (word) => found.get(fold(word));
}
