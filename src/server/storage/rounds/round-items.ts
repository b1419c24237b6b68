import type { ReadContext } from '../db/context.ts';
import type { StoredCase } from '../records/cases.ts';

/** Which of these items a case does not have, or has no longer. */
export async function missingItems(
  { session }: ReadContext,
  { pk }: Pick<StoredCase, 'pk'>,
  items: readonly string[],
): Promise<ReadonlySet<string>> {
  const missing = new Set(items);
  const rows = await session.db
    .selectFrom('items')
    .select('item_uid')
    .where('account', '=', session.account)
    .where('case_pk', '=', pk)
    .where('deleted', '=', 0)
    .where(session.inList('item_uid', [...missing]))
    .execute();
  for (const { item_uid } of rows) missing.delete(item_uid);
  return missing;
}
