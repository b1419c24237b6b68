import { LIMITS_KEPT } from './auth/limits.ts';
import type { Refusals } from './auth/refusals.ts';
import { TRIED_KEPT, type TriedCounter } from './auth/tried-passwords.ts';
import type { Deps } from './context/deps.ts';
import { EVERY_ACCOUNT } from './storage/db/session.ts';
import { createBlobMove } from './instance/blob-move.ts';
import { createRunCheck } from './instance/run-check.ts';
import type { UsageMeter } from './instance/usage.ts';

const FLUSH_MS = 1_000;
/**
 * Where no account has a limit of requests, what was counted is for the account page alone, which
 * asks for what is not written yet.
 */
const COUNTED_MS = 5_000;
const EXPIRE_MS = 3_600_000;

/**
 * Work that nobody asks for: counts are written, what is past its time is removed, runs are
 * checked, blobs are moved.
 */
export function startHousekeeping(
  deps: Pick<Deps, 'store' | 'clock' | 'logger' | 'requestQuota'> &
    Parameters<typeof createRunCheck>[0] &
    Parameters<typeof createBlobMove>[0],
  { usage, refusals, tried }: { usage: UsageMeter; refusals: Refusals; tried: TriedCounter },
) {
  const counting = setInterval(
    () => void usage.flush(),
    deps.requestQuota === undefined ? COUNTED_MS : FLUSH_MS,
  );
  const flushing = setInterval(() => {
    void refusals.flush();
    void tried.flush();
  }, FLUSH_MS);
  const expire = async (): Promise<void> => {
    const { store, clock } = deps;
    const accounts = await store.transact(async (writer) => {
      await writer.signInLimits.forget(clock.now() - LIMITS_KEPT);
      await writer.signInLimits.expireTried(new Date(clock.now() - TRIED_KEPT).toISOString());
      return writer.team.all();
    }, EVERY_ACCOUNT);
    for (const account of accounts)
      await store.transact(async (writer) => {
        await writer.idempotency.expire();
        await writer.runWrites.expireUploads();
      }, account);
  };
  const expiring = setInterval(() => void expire().catch(() => {}), EXPIRE_MS);
  const runCheck = createRunCheck(deps);
  const blobMove = createBlobMove(deps);
  counting.unref();
  flushing.unref();
  expiring.unref();
  return {
    stop(): void {
      clearInterval(counting);
      clearInterval(flushing);
      clearInterval(expiring);
      runCheck.close();
      blobMove.close();
    },
    /** Writes what was counted, once no request is left. */
    async flush(): Promise<void> {
      await usage.flush();
      await refusals.flush(true);
      await tried.flush();
    },
  };
}
