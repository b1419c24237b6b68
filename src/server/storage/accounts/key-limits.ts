import type { AccountId, KeyId } from '../../../shared/contract/ids.ts';
import type { ApiKey, KeyLimitsInput } from '../../../shared/contract/v1/account.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { keyOf } from './keys.ts';

/** Changes what a key may suggest, pauses it, or lets it go on; what is not named stays. */
export async function limitKey(
  ctx: WriteContext,
  account: AccountId,
  keyId: KeyId,
  { paused, suggestions_a_day, open_suggestions }: KeyLimitsInput,
): Promise<ApiKey | undefined> {
  const before = await keyOf(ctx, account, keyId);
  const changed = {
    ...(paused !== undefined && { paused_at: paused ? (before?.paused_at ?? ctx.at) : null }),
    ...(suggestions_a_day !== undefined && { suggestions_a_day }),
    ...(open_suggestions !== undefined && { open_suggestions }),
  };
  if (before === undefined || Object.keys(changed).length === 0) return before;
  await ctx.session.db
    .updateTable('api_keys')
    .set(changed)
    .where('account_id', '=', account)
    .where('key_id', '=', keyId)
    .execute();
  return keyOf(ctx, account, keyId);
}

/** Suggestions of a source that nobody has decided about since it made them. */
async function countOpen({ session }: WriteContext, source: string): Promise<number> {
  const { count } = await session.db
    .selectFrom('suggestions')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('account', '=', session.account)
    .where('source', '=', source)
    .where('value', 'is not', null)
    .where((eb) =>
      eb.or([eb('decision_seq', 'is', null), eb('decision_seq', '<', eb.ref('head_seq'))]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Notes that a key has suggested so much more. Throws quota_exceeded where that is more than it
 * may: what it has withdrawn, or replaced, counts for the day and no longer as open.
 */
export async function chargeSuggestions(
  ctx: WriteContext,
  keyId: KeyId,
  count: number,
): Promise<void> {
  const ofKey = ctx.session.db.selectFrom('api_keys').where('key_id', '=', keyId);
  const today = ctx.at.slice(0, 10);
  await ctx.session.db
    .updateTable('api_keys')
    .set((eb) => ({
      suggested_on: today,
      suggested: eb
        .case()
        .when('suggested_on', '=', today)
        .then(eb('suggested', '+', count))
        .else(count)
        .end(),
    }))
    .where('key_id', '=', keyId)
    .execute();
  const stored = await ofKey
    .select(['suggested', 'suggestions_a_day', 'open_suggestions'])
    .executeTakeFirst();
  const { suggested, suggestions_a_day: aDay = null, open_suggestions: open = null } = stored ?? {};
  const used = Number(suggested ?? 0);
  if (aDay !== null && used > aDay)
    throw overLimit(
      `This key may suggest ${aDay} cells a day, of which ${used - count} are used up`,
    );
  const waiting = open === null ? 0 : await countOpen(ctx, keyId);
  if (open !== null && waiting > open)
    throw overLimit(
      `Of this key ${open} suggestions may wait for a decision, and ${waiting} would`,
    );
}

const overLimit = (words: string): StoreError =>
  new StoreError(
    'quota_exceeded',
    `${words}; nothing was stored. A person can change that on the account page.`,
  );
