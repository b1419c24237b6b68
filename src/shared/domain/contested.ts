import { type CellState, runMatrixValue } from './outcome.ts';
import { resultSpread, type ResultSpread, type RunSettings, thetaMean } from './result.ts';

/** A contested cell: its value as counted in its row, and the outcomes that its other heads say. */
export interface ContestedOutcome {
  row: number;
  shown: CellState;
  others: readonly CellState[];
}

/** The result if this contested cell had its other value: of the cell's item, and of all items. */
export interface FlippedResult extends ResultSpread {
  k: number;
  theta_mean: number;
}

/**
 * Whether a head would change the result: it does if it has another matrix value (0 or 1), which
 * changes k of its item. Nothing else about a cell matters for the result.
 */
export function isMaterial(shown: CellState, others: readonly CellState[]): boolean {
  return others.some((other) => runMatrixValue(other) !== runMatrixValue(shown));
}

/**
 * For each contested cell, the result with that one cell flipped; null where no head flips it.
 * `present[i]` is k of row i, `rules` is m. One flip moves an item from k to k + 1 or k - 1, so
 * there are at most 2m different results however many cells there are; each is computed once, from
 * the number of items with each k.
 */
export function flippedResults(
  present: ArrayLike<number>,
  rules: number,
  settings: RunSettings,
  cells: readonly ContestedOutcome[],
): (FlippedResult | null)[] {
  const sizes = new Array<number>(rules + 1).fill(0);
  for (let row = 0; row < present.length; row += 1)
    sizes[present[row] as number] = (sizes[present[row] as number] as number) + 1;
  const known = new Map<number, FlippedResult>();
  return cells.map(({ row, shown, others }) => {
    if (!isMaterial(shown, others)) return null;
    const k = present[row] as number;
    const flipped = runMatrixValue(shown) === 1 ? k - 1 : k + 1;
    const key = k * 2 + (flipped > k ? 1 : 0);
    let result = known.get(key);
    if (result === undefined) {
      const moved = sizes.with(k, (sizes[k] as number) - 1);
      moved[flipped] = (moved[flipped] as number) + 1;
      const { prior_alpha, prior_beta } = settings;
      result = {
        k: flipped,
        theta_mean: thetaMean(prior_alpha + flipped, prior_beta + (rules - flipped)),
        ...resultSpread(moved, settings),
      };
      known.set(key, result);
    }
    return result;
  });
}
