import type { AccountId } from '../../shared/contract/ids.ts';
import type { Deps } from '../context/deps.ts';
import { describeError } from '../instance/logger.ts';

/** Between two looks, ms. */
const LOOK_MS = 1_000;
/** Who took something to send and said nothing by then is gone, ms. */
export const LEASE_MS = 20_000;
/** How long a receiver may take to answer, ms: less than the lease. */
export const ANSWER_MS = 10_000;

interface Looking {
  /** What is sent, for the log. */
  what: string;
  accounts(): Promise<readonly AccountId[]>;
  /** Takes what of an account is to be sent now: the attempts. */
  take(account: AccountId): Promise<readonly (() => Promise<void>)[]>;
}

/**
 * Looks again and again whether an account has something to be sent, until it is closed. An account
 * whose receiver is slow, or which cannot be read now, holds up nobody else's.
 */
export function startLooking(
  { store, logger }: Pick<Deps, 'store' | 'logger'>,
  { what, accounts, take }: Looking,
): { close(): void } {
  const busy = new Set<AccountId>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const tell = (error: unknown): void =>
    logger.error({ error: describeError(error) }, `${what} cannot be sent now`);

  async function look(): Promise<void> {
    if (!store.health().ok) return;
    for (const account of await accounts()) {
      if (isClosed || busy.has(account)) continue;
      busy.add(account);
      const attempts = await take(account).catch((error: unknown) => {
        tell(error);
        return [];
      });
      void Promise.allSettled(attempts.map((attempt) => attempt())).then(() =>
        busy.delete(account),
      );
    }
  }

  function plan(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      void look().catch(tell).then(plan);
    }, LOOK_MS).unref();
  }
  plan();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
