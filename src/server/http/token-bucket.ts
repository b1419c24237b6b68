/**
 * Requests that overtake each other differ by less, ms. One that came this long before another that
 * was served came under a clock that was set back.
 */
export const SET_BACK = 60_000;

/**
 * An allowance for each subject, which refills with time. Memory is bounded: beyond `subjects` the
 * one unused for the longest time is forgotten.
 */
export function createTokenBuckets(options: {
  burst: number;
  perSecond: number;
  subjects: number;
}) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const level = (subject: string, now: number): number => {
    const bucket = buckets.get(subject);
    // What passes under the other clock is counted from here.
    if (bucket !== undefined && bucket.at - now > SET_BACK) bucket.at = now;
    return bucket === undefined
      ? options.burst
      : Math.min(
          options.burst,
          bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * options.perSecond,
        );
  };
  return {
    perSecond: options.perSecond,
    /** Whole seconds until the subject may go on; 0 where it may now. */
    wait(subject: string, now: number): number {
      const tokens = level(subject, now);
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / options.perSecond);
    },
    /** Takes from the allowance. What other instances spent may bring it below zero. */
    take(subject: string, now: number, count = 1): void {
      const tokens = level(subject, now) - count;
      buckets.delete(subject);
      buckets.set(subject, { tokens, at: now });
      if (buckets.size > options.subjects) buckets.delete(buckets.keys().next().value!);
    },
  };
}
export type TokenBuckets = ReturnType<typeof createTokenBuckets>;
