/**
 * What the result would be otherwise: if missing evidence were there, under another prior, without
 * a rule, with one cell flipped. Each equals computing the whole result of the changed matrix
 * again.
 */
import type { CellState } from './outcome.ts';
import {
  countSizes,
  type CountResult,
  resultsByCount,
  resultSpread,
  type ResultSpread,
  type RunSettings,
} from './result.ts';

/** How many cells of each row are in each state. */
export interface RowCounts {
  present: Uint16Array;
  problem: Uint16Array;
  unavailable: Uint16Array;
  unrecorded: Uint16Array;
}

export function countRows(raw: readonly (readonly CellState[])[]): RowCounts {
  const [present, problem, unavailable, unrecorded] = Array.from(
    { length: 4 },
    () => new Uint16Array(raw.length),
  ) as [Uint16Array, Uint16Array, Uint16Array, Uint16Array];
  for (const [row, states] of raw.entries()) {
    let [yes, no, unknown] = [0, 0, 0];
    for (const state of states) {
      if (state === 'FALSE') yes += 1;
      else if (state === 'TRUE') no += 1;
      else if (state === 'NA') unknown += 1;
    }
    present[row] = yes;
    problem[row] = no;
    unavailable[row] = unknown;
    unrecorded[row] = states.length - yes - no - unknown;
  }
  return { present, problem, unavailable, unrecorded };
}

/** A result in short: of all items together, and of an item by its k. */
export interface ResultOutline {
  /** k of each row. */
  present: ArrayLike<number>;
  spread: ResultSpread;
  byCount: ReadonlyMap<number, CountResult>;
}

export function outlineOf(
  present: ArrayLike<number>,
  rules: number,
  settings: RunSettings,
): ResultOutline {
  const sizes = countSizes(present, rules);
  return {
    present,
    spread: resultSpread(sizes, settings),
    byCount: new Map(resultsByCount(sizes, settings).map((result) => [result.k, result])),
  };
}

/** What missing evidence could make of the result. */
export interface EvidenceBounds {
  /**
   * Every NA and every unrecorded cell as TRUE, problem found. They count 0 already, so that this
   * is the result itself.
   */
  asProblem: ResultOutline;
  /** Every unrecorded cell as FALSE, evidence present. */
  unrecordedPresent: ResultOutline;
  /** Every NA as FALSE. */
  unavailablePresent: ResultOutline;
  /** Every NA and every unrecorded cell as FALSE. */
  asEvidence: ResultOutline;
}

export function evidenceBounds(
  { present, unavailable, unrecorded }: RowCounts,
  rules: number,
  settings: RunSettings,
): EvidenceBounds {
  const outline = (counts: ArrayLike<number>): ResultOutline => outlineOf(counts, rules, settings);
  const plus = (...added: readonly Uint16Array[]): Uint16Array =>
    present.map((k, row) => added.reduce((sum, counts) => sum + (counts[row] as number), k));
  return {
    asProblem: outline(present),
    unrecordedPresent: outline(plus(unrecorded)),
    unavailablePresent: outline(plus(unavailable)),
    asEvidence: outline(plus(unavailable, unrecorded)),
  };
}

/** Priors that say little, by name: each is a Beta(a, b). */
export const KNOWN_PRIORS = {
  uniform: { prior_alpha: 1, prior_beta: 1 },
  jeffreys: { prior_alpha: 0.5, prior_beta: 0.5 },
} as const;

/** The result without one rule: of m - 1 rules. */
export interface WithoutRule {
  column: number;
  spread: ResultSpread;
  /** Items whose percentile differs. */
  moved: number;
  /** The item whose percentile differs most: its row, and by how much. */
  most: { row: number; change: number };
}

/** The result without each rule in turn; nothing where there is only one. */
export function* withoutEachRule(
  raw: readonly (readonly CellState[])[],
  present: ArrayLike<number>,
  rules: number,
  settings: RunSettings,
): Generator<WithoutRule> {
  if (rules < 2) return;
  const before = percentilesOf(countSizes(present, rules));
  const left = new Uint16Array(raw.length);
  for (let column = 0; column < rules; column += 1) {
    for (const [row, states] of raw.entries())
      left[row] = (present[row] as number) - (states[column] === 'FALSE' ? 1 : 0);
    const sizes = countSizes(left, rules - 1);
    const after = percentilesOf(sizes);
    let moved = 0;
    let most = { row: 0, change: 0 };
    for (let row = 0; row < left.length; row += 1) {
      const change =
        (after[left[row] as number] as number) - (before[present[row] as number] as number);
      if (change !== 0) moved += 1;
      if (Math.abs(change) > Math.abs(most.change)) most = { row, change };
    }
    yield { column, spread: resultSpread(sizes, settings), moved, most };
  }
}

/** The percentile of an item with each k: 100 times its mean rank, over the number of items. */
function percentilesOf(sizes: readonly number[]): number[] {
  const n = sizes.reduce((sum, size) => sum + size, 0);
  let below = 0;
  return sizes.map((size) => {
    const rank = below + (size + 1) / 2;
    below += size;
    return (100 * rank) / n;
  });
}

/** The result of one item with `k` if it had `to` instead, all others as they are. */
export function movedItem(
  sizes: readonly number[],
  k: number,
  to: number,
  settings: RunSettings,
): CountResult {
  const moved = sizes.with(k, (sizes[k] as number) - 1);
  moved[to] = (moved[to] as number) + 1;
  return resultsByCount(moved, settings).find((result) => result.k === to) as CountResult;
}
