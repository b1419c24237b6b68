import type { AccountId } from '../../shared/contract/ids.ts';
import type { Store } from './store.ts';

/** The store as one account's part uses it: its transactions are about that account. */
export const aboutAccount = (store: Store, account: AccountId): Store =>
  Object.create(store, {
    read: {
      value: ((fn, scope = account, credential) =>
        store.read(fn, scope, credential)) as Store['read'],
    },
    transact: {
      value: ((fn, scope = account) => store.transact(fn, scope)) as Store['transact'],
    },
  }) as Store;
