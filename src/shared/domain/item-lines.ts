import type { CellState } from './outcome.ts';
import type { ItemResult } from './result.ts';
import type { RunRecord } from './run-record.ts';

/** Counts in the order of every legend: FALSE, TRUE, NA, unrecorded. */
export type RunCounts = readonly [
  present: number,
  problem: number,
  unavailable: number,
  unrecorded: number,
];

export function countRow(row: readonly CellState[]): RunCounts {
  let present = 0;
  let problem = 0;
  let unavailable = 0;
  for (const state of row) {
    if (state === 'FALSE') present += 1;
    else if (state === 'TRUE') problem += 1;
    else if (state === 'NA') unavailable += 1;
  }
  return [present, problem, unavailable, row.length - present - problem - unavailable];
}

/** One item of a run as a row of its table: the result, and what of the matrix explains it. */
export interface ItemResultRow extends ItemResult {
  /** Place in the case, from 1. */
  place: number;
  label: string;
  item_type: string;
  counts: RunCounts;
}

export function itemLines(run: RunRecord): ItemResultRow[] {
  return run.result.items.map((result, row) => {
    const item = run.frozen.items[row];
    return {
      ...result,
      place: row + 1,
      label: item?.label ?? '',
      item_type: item?.item_type ?? '',
      counts: countRow(run.frozen.raw[row] ?? []),
    };
  });
}
