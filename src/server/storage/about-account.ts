import type { AccountId } from '../../shared/contract/ids.ts';
import type { Store } from './store.ts';

/** The store as one account's part uses it: its transactions are about that account. */
export function aboutAccount(store: Store, account: AccountId): Store {
  const read: Store['read'] = (fn, scope = account, ...rest) => store.read(fn, scope, ...rest);
  const transact: Store['transact'] = (fn, scope = account, patience) =>
    store.transact(fn, scope, patience);
  return Object.assign(Object.create(store) as Store, { read, transact });
}
