import { CONNECTIONS } from '../storage/db/connections.ts';
import type { PoolState } from '../storage/db/session.ts';
import type { Store } from '../storage/store.ts';

/** Of ten connections so many serve the large calls, which compute more than they ask. */
const SHARE = 0.4;

/**
 * Divides a process's connections between its own store and the one that carries out large calls.
 */
export function shareConnections(all: number = CONNECTIONS): { own: number; large: number } {
  const large = Math.max(1, Math.floor(all * SHARE));
  return { own: all - large, large };
}

function sum(one: PoolState, other: PoolState): PoolState {
  return {
    busy: one.busy + other.busy,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

/**
 * A store as the server sees it whose database also has a second store in this process, for the
 * large calls: commits of both are heard, both are closed.
 */
export function withLargeCalls(store: Store, large: Store): Store {
  const { pool } = store;
  return {
    ...store,
    get local() {
      return store.local;
    },
    onCommit(listener) {
      const [one, other] = [store.onCommit(listener), large.onCommit(listener)];
      return () => {
        one();
        other();
      };
    },
    pool: pool && (() => sum(pool(), large.pool?.() ?? { busy: 0, idle: 0, waiting: 0 })),
    async close() {
      await Promise.all([store.close(), large.close()]);
    },
  };
}
