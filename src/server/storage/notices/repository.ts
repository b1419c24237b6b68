import { noteAttempt, notifiedAccounts, takeDue } from './due.ts';
import { endSubscription, listSubscriptions, subscribe } from './subscriptions.ts';
import { waitingOf } from './waiting-of.ts';

export const noticeReads = {
  subscriptions: listSubscriptions,
  accounts: notifiedAccounts,
  waitingOf,
};
export const noticeWrites = { subscribe, end: endSubscription, take: takeDue, noteAttempt };
