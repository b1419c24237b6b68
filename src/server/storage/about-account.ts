import type { AccountId } from '../../shared/contract/ids.ts';
import type { Store } from './store.ts';

/** The store as one account's part uses it: its transactions are about that account. */
export function aboutAccount(store: Store, account: AccountId): Store {
  const read: Store['read'] = (fn, scope = account, credential) =>
    store.read(fn, scope, credential);
  const transact: Store['transact'] = (fn, scope = account, together) =>
    store.transact(fn, scope, together);
  return Object.assign(Object.create(store) as Store, { read, transact });
}
