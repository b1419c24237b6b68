/** Allowance per subject that refills with time. Bounded: when too many subjects are known, the longest unused one is forgotten. */
export function createTokenBuckets(options: { burst: number; perSecond: number; subjects: number }) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const level = (subject: string, now: number): number => {
    const bucket = buckets.get(subject);
    return bucket === undefined ? options.burst : Math.min(options.burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * options.perSecond);
  };
  return {
    perSecond: options.perSecond,
    /** Whole seconds until the subject has an allowance again; 0 where it has one. */
    wait(subject: string, now: number): number {
      const tokens = level(subject, now);
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / options.perSecond);
    },
    /** What others have spent may leave a debt. */
    take(subject: string, now: number, count = 1): void {
      const tokens = level(subject, now) - count;
      buckets.delete(subject);
      buckets.set(subject, { tokens, at: now });
      if (buckets.size > options.subjects) buckets.delete(buckets.keys().next().value!);
    },
  };
}
export type TokenBuckets = ReturnType<typeof createTokenBuckets>;
