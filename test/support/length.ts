/**
 * How long a suite is: short and from a fixed seed in CI, or its whole length from a fresh seed
 * (`npm run test:long`). docs/testing.md lists both lengths of each suite.
 */
export const IS_LONG = process.env.EVIDENCE_TEST_LONG === '1';

/** A number of runs, steps or kills, or a stride. */
export const lengthOf = <T>(inCi: T, long: T): T => (IS_LONG ? long : inCi);

/** A browser test whose claim a shorter suite keeps in CI (docs/testing.md says which). */
export const IN_LONG_FORM = { tag: '@long' } as const;

/** Where nothing else is asked for, the same runs every time. */
const SEED = 20_261_122;

/** `EVIDENCE_TEST_SEED` repeats a long run. */
export const seedOf = (fixed = SEED): number => {
  const { EVIDENCE_TEST_SEED } = process.env;
  if (EVIDENCE_TEST_SEED !== undefined) return Number(EVIDENCE_TEST_SEED);
  return IS_LONG ? Date.now() % 2 ** 31 : fixed;
};

/**
 * The databases of suites that ask a server over HTTP: what differs between the two is asked of
 * both by `contract`, and here in the long form.
 */
export const ENGINES: readonly ('SQLite' | 'PostgreSQL')[] = lengthOf(
  ['PostgreSQL'],
  ['SQLite', 'PostgreSQL'],
);
