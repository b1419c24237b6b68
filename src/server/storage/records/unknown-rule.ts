import { nearRules } from '../../../shared/domain/near-rule.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

/** Nearer than by chance. */
const ENOUGH = 0.5;
/** Looking for the nearest rule is dear, and a list of errors is read from its beginning. */
const MOST_HINTS = 20;

/** Says of rules that the profile lacks which of its rules may be meant. */
export function unknownRule({ document }: StoredProfile): (rule: string) => string {
  let near: ReturnType<typeof nearRules> | undefined;
  let hints = 0;
  return (rule) => {
    const words = 'The profile has no such rule.';
    hints += 1;
    if (hints > MOST_HINTS) return words;
    near ??= nearRules(document.rules);
    const [best] = near(rule);
    return best === undefined || best.score < ENOUGH
      ? words
      : `${words} Did you mean "${best.ruleUid}"?`;
  };
}
