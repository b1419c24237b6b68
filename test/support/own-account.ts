import { aboutAccount } from '../../src/server/storage/about-account.ts';
import type { Store } from '../../src/server/storage/store.ts';

/** The store, whose transactions are about its own account unless another scope is named. */
export const ofOwnAccount = (store: Store): Store => aboutAccount(store, store.local.account_id);
