import type { Generated } from 'kysely';
import type { AccountId, UserId } from '../../../../shared/contract/ids.ts';
import type { NoticeEvent } from '../../../../shared/contract/v1/notices.ts';

/** Where an account's notices go. The secret of a webhook follows from the server's secret. */
interface SubscriptionTable {
  account: number;
  subscription_id: string;
  way: 'mail' | 'webhook';
  url: string | null;
  /** Names of events, as JSON. */
  events: string;
  created_by: UserId;
  created_at: string;
  last_at: Generated<string | null>;
  last_result: Generated<string | null>;
}

/** A notice that is still to be delivered, with the next attempt. */
interface NoticeTable {
  account: number;
  notice_id: string;
  subscription_id: string;
  event: NoticeEvent;
  stream_pk: number;
  case_uid: string;
  /** The thread; empty where it is about suggestions, or about assigned items and rules. */
  thread_id: string;
  /** For whom it waits; empty where it is about suggestions. */
  who: string;
  created_at: string;
  attempts: number;
  /** Milliseconds since 1970. */
  due: number;
}

export interface NoticeTables {
  subscriptions: SubscriptionTable;
  notices: NoticeTable;
  /** Accounts that have subscriptions, for what delivers their notices. */
  notified_accounts: { account_id: AccountId };
}
