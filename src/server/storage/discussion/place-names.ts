import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { ThreadPlace } from '../../../shared/domain/thread.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { caseAndProfile } from '../records/case-profile.ts';

/** The case that places are of. */
export interface PlacedCase {
  pk: number;
  streamPk: number;
  record: { case_uid: CaseUid };
}

/**
 * What the item and the rule of a place are called; null where there is none, or it is not here.
 */
interface PlaceNames {
  item_label: string | null;
  rule_name: string | null;
}

async function labelsOf(
  { session }: ReadContext,
  { pk }: PlacedCase,
  items: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (items.length === 0) return new Map();
  const rows = await session.db
    .selectFrom('items')
    .select(['item_uid', 'label'])
    .where('account', '=', session.account)
    .where('case_pk', '=', pk)
    .where(session.inList('item_uid', items))
    .execute();
  return new Map(rows.map(({ item_uid, label }) => [item_uid, label === '' ? item_uid : label]));
}

/**
 * Names of rules of a matrix; none where its document is not here, or which it is is not settled.
 */
async function rulesOf(
  ctx: ReadContext,
  account: AccountId,
  { record: { case_uid } }: PlacedCase,
  { profile_uid, profile_version }: Extract<ThreadPlace, { on: 'rule' }>,
): Promise<ReadonlyMap<string, string>> {
  try {
    const asked = { case_uid, profile_uid, profile_version };
    const { profile } = await caseAndProfile(ctx, account, asked, true);
    return new Map(profile.document.rules.map(({ ruleUid, name }) => [ruleUid, name]));
  } catch (error) {
    if (error instanceof StoreError) return new Map();
    throw error;
  }
}

export async function placeNames(
  ctx: ReadContext,
  account: AccountId,
  stored: PlacedCase,
  places: readonly ThreadPlace[],
): Promise<(place: ThreadPlace) => PlaceNames> {
  const items = places.flatMap((place) => (place.on === 'rule' ? [] : [place.item_uid]));
  const labels = await labelsOf(ctx, stored, [...new Set(items)]);
  const matrices = new Map<string, ReadonlyMap<string, string>>();
  const keyOf = (place: { profile_uid: string; profile_version: string }): string =>
    `${place.profile_uid}@${place.profile_version}`;
  for (const place of places)
    if (place.on !== 'item' && !matrices.has(keyOf(place)))
      matrices.set(keyOf(place), await rulesOf(ctx, account, stored, { ...place, on: 'rule' }));
  return (place) => ({
    item_label: place.on === 'rule' ? null : (labels.get(place.item_uid) ?? null),
    rule_name:
      place.on === 'item' ? null : (matrices.get(keyOf(place))?.get(place.rule_uid) ?? null),
  });
}
