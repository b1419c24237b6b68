import type { AccountId } from '../../../shared/contract/ids.ts';
import type { NoticeEvent } from '../../../shared/contract/v1/notices.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';

/** A notice that somebody is to deliver now. */
export interface DueNotice {
  notice_id: string;
  subscription_id: string;
  event: NoticeEvent;
  case_uid: string;
  thread_id: string;
  who: string;
  created_at: string;
  /** Those that failed so far. */
  attempts: number;
}

/** Few enough that all are attempted at once, within the lease. */
const AT_ONCE = 10;

/** Accounts that have, or had, subscriptions. */
export async function notifiedAccounts({ session }: ReadContext): Promise<AccountId[]> {
  const rows = await session.db.selectFrom('notified_accounts').select('account_id').execute();
  return rows.map(({ account_id }) => account_id);
}

/**
 * Takes the notices of the account that are due. They are due again after `leaseMs`, in case that
 * whoever took them is gone by then.
 */
export async function takeDue(
  { session, now }: WriteContext,
  leaseMs: number,
): Promise<DueNotice[]> {
  const due = await session.db
    .selectFrom('notices')
    .select('notice_id')
    .where('account', '=', session.account)
    .where('due', '<=', now)
    .orderBy('due')
    .limit(AT_ONCE)
    .execute();
  if (due.length === 0) return [];
  return session.db
    .updateTable('notices')
    .set({ due: now + leaseMs })
    .where('account', '=', session.account)
    .where('due', '<=', now)
    .where(
      session.inList(
        'notice_id',
        due.map(({ notice_id }) => notice_id),
      ),
    )
    .returning(['notice_id', 'subscription_id', 'event', 'case_uid', 'thread_id', 'who'])
    .returning(['created_at', 'attempts'])
    .execute();
}

/** What became of an attempt: the notices are done, or due again at a time. */
export async function noteAttempt(
  { session, at }: WriteContext,
  subscriptionId: string,
  notices: readonly string[],
  { result, again }: { result: string; again: number | undefined },
): Promise<void> {
  const of = session.inList('notice_id', notices);
  if (again === undefined)
    await session.db
      .deleteFrom('notices')
      .where('account', '=', session.account)
      .where(of)
      .execute();
  else
    await session.db
      .updateTable('notices')
      .set(({ eb }) => ({ due: again, attempts: eb('attempts', '+', 1) }))
      .where('account', '=', session.account)
      .where(of)
      .execute();
  await session.db
    .updateTable('subscriptions')
    .set({ last_at: at, last_result: result.slice(0, 200) })
    .where('account', '=', session.account)
    .where('subscription_id', '=', subscriptionId)
    .execute();
}
