import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A hosted server allows 60 requests and 20 writes a second for each key. Staying below that, this
 * client is never asked to wait.
 */
const RATES = { all: { perSecond: 50, burst: 50 }, writes: { perSecond: 15, burst: 15 } } as const;

/** Limits the rate of requests: each waits until it may go. `weight`: as how many it counts. */
export function createPace(): (
  writes: boolean,
  signal: AbortSignal | undefined,
  weight?: number,
) => Promise<void> {
  const next = { all: 0, writes: 0 };
  /**
   * When the next request of this kind may go. The burst is how far that time may lie in the past.
   */
  const claim = (kind: keyof typeof RATES, now: number, weight: number): number => {
    const { perSecond, burst } = RATES[kind];
    const step = 1_000 / perSecond;
    next[kind] = Math.max(next[kind], now - burst * step) + step * weight;
    return next[kind] - now;
  };
  return async (writes, signal, weight = 1) => {
    const now = performance.now();
    const wait = Math.max(claim('all', now, weight), writes ? claim('writes', now, weight) : 0);
    if (wait > 0)
      await sleep(wait, undefined, { ref: false, ...(signal !== undefined && { signal }) }).catch(
        () => undefined,
      );
  };
}
