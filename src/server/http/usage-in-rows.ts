import type { Deps } from '../context/deps.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';

/** Where instances tell each other what they used. Amounts go by their names. */
export interface UsageExchange {
  /**
   * Tells what was used here; answers what others have used since it last did. `isNew`: it has not
   * asked for a while, and what was used before is nobody's business.
   */
  share(
    own: ReadonlyMap<string, number>,
    isNew: boolean,
  ): Promise<readonly (readonly [name: string, count: number])[]>;
  /** Whether it is to be asked although nothing was used here. */
  isAwaited?(): boolean;
  close(): Promise<void>;
}

/** In PostgreSQL: each instance has one row for all subjects, and reads those of all others. */
export function shareInRows({
  store,
  instanceId,
}: Pick<Deps, 'store' | 'instanceId'>): UsageExchange {
  let seen = new Map<string, number>();
  let round = 0;
  return {
    async share(own, isNew) {
      if (isNew) seen = new Map();
      const others = await store.transact(async (writer) => {
        if (own.size > 0) await writer.rateLimitUsage.publish(instanceId, (round += 1), own);
        return writer.rateLimitUsage.receive(instanceId, seen);
      }, EVERY_ACCOUNT);
      for (const { instance, turn } of others)
        seen.set(instance, Math.max(turn, seen.get(instance) ?? 0));
      return isNew ? [] : others.flatMap(({ spent }) => [...spent]);
    },
    close: async () => {},
  };
}
