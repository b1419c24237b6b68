import type { CellState, RawOutcome } from './outcome.ts';
import { NORMAL_975, studentT975 } from './student-t.ts';

/**
 * How far people and agents who recorded the same cells independently agree. A unit is a cell, a
 * rating an outcome; unrecorded is missing. There are always three categories, also where one does
 * not occur. What is undefined is null, never 0 or 1.
 */
export interface AgreementFigures {
  units: number;
  units_with_one: number;
  units_with_two: number;
  percent: number | null;
  ac1: number | null;
  ac1_se: number | null;
  ac1_low: number | null;
  ac1_high: number | null;
  alpha: number | null;
  pairs: PairFigures[];
}

export interface PairFigures {
  /** Places of the two among the recorders, from 0. */
  a: number;
  b: number;
  /** Units that both rated. */
  n: number;
  percent: number | null;
  kappa: number | null;
  kappa_ase: number | null;
  kappa_low: number | null;
  kappa_high: number | null;
  /** Units by the category of `a` (rows) and of `b` (columns), in the order of CATEGORIES. */
  confusion: number[][];
}

export const CATEGORIES = ['FALSE', 'TRUE', 'NA'] as const satisfies readonly RawOutcome[];
const Q = CATEGORIES.length;

/** Numbers of ratings of each category, and how many units have just these. */
interface Pattern {
  counts: readonly number[];
  ratings: number;
  units: number;
}

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

/** A number, or null where it is none. */
const defined = (value: number): number | null => (Number.isFinite(value) ? value : null);

/**
 * Units with the same numbers of ratings are taken together, in the order of those numbers: so the
 * order in which the cells come never shows in a figure, not even in its last digit.
 */
function patternsOf(units: readonly (readonly CellState[])[]): Pattern[] {
  const found = new Map<string, Pattern>();
  for (const unit of units) {
    const counts = CATEGORIES.map((category) => unit.filter((state) => state === category).length);
    const key = counts.map((count) => String(count).padStart(6, '0')).join();
    const known = found.get(key);
    if (known === undefined)
      found.set(key, { counts, ratings: sum(counts, (count) => count), units: 1 });
    else known.units += 1;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pattern]) => pattern);
}

/** The share of the pairs of ratings of a unit that agree; it needs two ratings. */
const agreeing = ({ counts, ratings }: Pattern): number =>
  sum(counts, (count) => count * (count - 1)) / (ratings * (ratings - 1));

/**
 * Gwet's AC1 (Gwet 2008) with its variance conditional on the recorders. With n units that have a
 * rating and Student's t with n - 1 degrees.
 */
function ac1Of(
  rated: readonly Pattern[],
  percent: number,
): Pick<AgreementFigures, 'ac1' | 'ac1_se' | 'ac1_low' | 'ac1_high'> {
  const n = sum(rated, ({ units }) => units);
  const twice = sum(rated, ({ ratings, units }) => (ratings >= 2 ? units : 0));
  const shares = CATEGORIES.map(
    (_, k) =>
      sum(rated, ({ counts, ratings, units }) => (units * (counts[k] as number)) / ratings) / n,
  );
  const pe = sum(shares, (share) => share * (1 - share)) / (Q - 1);
  const ac1 = (percent - pe) / (1 - pe);
  const squares = sum(rated, (pattern) => {
    const { counts, ratings, units } = pattern;
    const own = ratings < 2 ? 0 : ((n / twice) * (agreeing(pattern) - pe)) / (1 - pe);
    const chance =
      counts.reduce(
        (total, count, k) => total + (count / ratings) * (1 - (shares[k] as number)),
        0,
      ) /
      (Q - 1);
    const corrected = own - (2 * (1 - ac1) * (chance - pe)) / (1 - pe);
    return units * (corrected - ac1) ** 2;
  });
  const se = n < 2 ? Number.NaN : Math.sqrt(squares / (n * (n - 1)));
  const half = Number.isNaN(se) ? Number.NaN : studentT975(n - 1) * se;
  return {
    ac1: defined(ac1),
    ac1_se: defined(se),
    ac1_low: defined(ac1 - half),
    ac1_high: defined(Math.min(1, ac1 + half)),
  };
}

/**
 * Krippendorff's alpha of nominal data, from the coincidences in units with two ratings or more.
 */
function alphaOf(rated: readonly Pattern[]): number | null {
  const paired = rated.filter(({ ratings }) => ratings >= 2);
  const totals = CATEGORIES.map((_, k) =>
    sum(paired, ({ counts, units }) => units * (counts[k] as number)),
  );
  const all = sum(totals, (total) => total);
  const differing = sum(
    paired,
    ({ counts, ratings, units }) =>
      (units * sum(counts, (count) => count * (ratings - count))) / (ratings - 1),
  );
  const expected = sum(totals, (total) => total * (all - total));
  return defined(1 - ((all - 1) * differing) / expected);
}

/**
 * Cohen's kappa of two, over the units that both rated, with the asymptotic standard error of
 * Fleiss, Cohen and Everitt (1969). Where the two never differ no error can be estimated.
 */
function pairOf(units: readonly (readonly CellState[])[], a: number, b: number): PairFigures {
  const confusion = CATEGORIES.map(() => CATEGORIES.map(() => 0));
  for (const unit of units) {
    const [first, second] = [unit[a] ?? null, unit[b] ?? null];
    if (first === null || second === null) continue;
    const row = confusion[CATEGORIES.indexOf(first)] as number[];
    row[CATEGORIES.indexOf(second)] = (row[CATEGORIES.indexOf(second)] as number) + 1;
  }
  const n = sum(confusion, (row) => sum(row, (count) => count));
  const cell = (i: number, j: number): number => ((confusion[i] as number[])[j] as number) / n;
  const indices = CATEGORIES.map((_, index) => index);
  const rows = indices.map((i) => sum(indices, (j) => cell(i, j)));
  const columns = indices.map((j) => sum(indices, (i) => cell(i, j)));
  const same = sum(indices, (i) => (confusion[i] as number[])[i] as number);
  const po = same / n;
  const pe = sum(indices, (i) => (rows[i] as number) * (columns[i] as number));
  const kappa = pe === 1 ? Number.NaN : (po - pe) / (1 - pe);
  const variance =
    sum(indices, (i) =>
      sum(indices, (j) => {
        const chance = ((columns[i] as number) + (rows[j] as number)) * (1 - kappa);
        return cell(i, j) * ((i === j ? 1 : 0) - chance) ** 2;
      }),
    ) -
    (kappa - pe * (1 - kappa)) ** 2;
  const ase =
    same === n ? Number.NaN : Math.sqrt(Math.max(0, variance) / ((1 - pe) * (1 - pe) * n));
  return {
    a,
    b,
    n,
    percent: defined(po),
    kappa: defined(kappa),
    kappa_ase: defined(ase),
    kappa_low: defined(kappa - NORMAL_975 * ase),
    kappa_high: defined(kappa + NORMAL_975 * ase),
    confusion,
  };
}

/**
 * The figures of `units`, each with one state for each of `recorders` in the same order: percent
 * agreement, AC1 and alpha of all of them, kappa of each two.
 */
export function agreementOf(
  units: readonly (readonly CellState[])[],
  recorders: number,
): AgreementFigures {
  const rated = patternsOf(units).filter(({ ratings }) => ratings > 0);
  const paired = rated.filter(({ ratings }) => ratings >= 2);
  const twice = sum(paired, (pattern) => pattern.units);
  const percent = sum(paired, (pattern) => pattern.units * agreeing(pattern)) / twice;
  const pairs: PairFigures[] = [];
  for (let a = 0; a < recorders; a += 1)
    for (let b = a + 1; b < recorders; b += 1) pairs.push(pairOf(units, a, b));
  return {
    units: units.length,
    units_with_one: sum(rated, (pattern) => pattern.units),
    units_with_two: twice,
    percent: defined(percent),
    ...ac1Of(rated, percent),
    alpha: alphaOf(rated),
    pairs,
  };
}
