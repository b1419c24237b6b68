import type { UserId } from '../../../shared/contract/ids.ts';
import {
  MAX_SUBSCRIPTIONS,
  type NoticeEvent,
  type Subscription,
  type SubscriptionInput,
} from '../../../shared/contract/v1/notices.ts';
import type { z } from 'zod';
import type { Actor } from '../db/actor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { sortableId } from '../db/ids.ts';

/** A subscription as it is stored. */
export interface StoredSubscription extends Subscription {
  user_id: UserId;
}

const stored = ({ session }: ReadContext) =>
  session.db
    .selectFrom('subscriptions')
    .leftJoin('users', 'users.user_id', 'subscriptions.created_by')
    .select(['subscription_id', 'way', 'url', 'events', 'last_at', 'last_result'])
    .select(['subscriptions.created_at', 'subscriptions.created_by', 'users.name'])
    .where('account', '=', session.account)
    .orderBy('subscription_id');

/** All subscriptions of the account. */
export async function listSubscriptions(ctx: ReadContext): Promise<StoredSubscription[]> {
  const rows = await stored(ctx).execute();
  return rows.map(({ name, created_by, last_at, last_result, events, ...row }) => ({
    ...row,
    events: JSON.parse(events) as NoticeEvent[],
    created_by: name ?? created_by,
    user_id: created_by,
    last: last_at === null ? null : { at: last_at, result: last_result ?? '' },
  }));
}

/** One more subscription of the actor. By mail each person has one. */
export async function subscribe(
  ctx: WriteContext,
  actor: Actor,
  input: z.output<typeof SubscriptionInput>,
): Promise<StoredSubscription> {
  const { session } = ctx;
  const there = await listSubscriptions(ctx);
  if (there.length >= MAX_SUBSCRIPTIONS)
    throw new StoreError('conflict', `An account has at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
  const own = there.find(({ way, user_id }) => way === 'mail' && user_id === actor.user_id);
  if (input.way === 'mail' && own !== undefined)
    throw new StoreError('conflict', 'You have a subscription by mail: end it first.');
  const row = {
    subscription_id: sortableId('sub_', ctx.ports),
    way: input.way,
    url: input.way === 'webhook' ? input.url : null,
    created_at: ctx.at,
  };
  await session.db
    .insertInto('subscriptions')
    .values({
      ...row,
      account: session.account,
      events: JSON.stringify(input.events),
      created_by: actor.user_id,
    })
    .execute();
  await session.db
    .insertInto('notified_accounts')
    .values({ account_id: actor.account_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return {
    ...row,
    events: input.events,
    created_by: actor.user_name,
    user_id: actor.user_id,
    last: null,
  };
}

/** Ends a subscription with what it has not delivered. */
export async function endSubscription(
  { session }: WriteContext,
  subscriptionId: string,
): Promise<void> {
  await session.db
    .deleteFrom('notices')
    .where('account', '=', session.account)
    .where('subscription_id', '=', subscriptionId)
    .execute();
  await session.db
    .deleteFrom('subscriptions')
    .where('account', '=', session.account)
    .where('subscription_id', '=', subscriptionId)
    .execute();
}
