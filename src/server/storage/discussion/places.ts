import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { ThreadPlace } from '../../../shared/domain/thread.ts';
import type { ReadContext } from '../db/context.ts';
import { caseAndProfile } from '../records/case-profile.ts';
import { unknownRule } from '../records/unknown-rule.ts';
import type { StoredCase } from '../records/cases.ts';
import { missingItems } from '../rounds/round-items.ts';

/** What is wrong with places that are to be discussed or assigned, under `/places/<n>`. */
export async function placeProblems(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  places: readonly ThreadPlace[],
  pathOf: (index: number) => string = (index) => `/places/${index}`,
): Promise<ErrorDetail[]> {
  const items = places.flatMap((place) => (place.on === 'rule' ? [] : [place.item_uid]));
  const missing = await missingItems(ctx, stored, [...new Set(items)]);
  const profiles = new Map<string, Awaited<ReturnType<typeof caseAndProfile>>['profile']>();
  const details: ErrorDetail[] = [];
  for (const [index, place] of places.entries()) {
    const path = pathOf(index);
    if (place.on !== 'rule' && missing.has(place.item_uid))
      details.push({
        path: `${path}/item_uid`,
        code: 'unknown_item',
        message: 'The case has no such item.',
      });
    if (place.on === 'item') continue;
    const { profile_uid, profile_version, rule_uid } = place;
    const key = `${profile_uid}@${profile_version}`;
    let profile = profiles.get(key);
    if (profile === undefined) {
      const asked = { case_uid: stored.record.case_uid, profile_uid, profile_version };
      ({ profile } = await caseAndProfile(ctx, account, asked));
      profiles.set(key, profile);
    }
    if (!profile.rules.includes(rule_uid))
      details.push({
        path: `${path}/rule_uid`,
        code: 'unknown_rule',
        message: unknownRule(profile)(rule_uid),
      });
  }
  return details;
}
