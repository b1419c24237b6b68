import type { CellState } from './outcome.ts';

/** Order of UTF-16 code units: the same on every machine, whatever its language. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Rows in their stable order: by `position`, then by `item_uid`. A new array. */
export function orderItems<T extends { item_uid: string; position: number }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => a.position - b.position || compareCodeUnits(a.item_uid, b.item_uid));
}

/** Columns in their stable order: by `ruleOrder`, which is unique in a profile. A new array. */
export function orderRules<T extends { ruleUid: string; ruleOrder: number }>(rules: Iterable<T>): T[] {
  return [...rules].sort((a, b) => a.ruleOrder - b.ruleOrder || compareCodeUnits(a.ruleUid, b.ruleUid));
}

/** How many cells are in each state. */
export interface OutcomeCounts {
  evidence_present: number;
  problem_found: number;
  not_available: number;
  unrecorded: number;
}

export function noCounts(): OutcomeCounts {
  return { evidence_present: 0, problem_found: 0, not_available: 0, unrecorded: 0 };
}

/** Adds one cell to `counts`. */
export function countState(counts: OutcomeCounts, state: CellState): void {
  if (state === 'FALSE') counts.evidence_present += 1;
  else if (state === 'TRUE') counts.problem_found += 1;
  else if (state === 'NA') counts.not_available += 1;
  else counts.unrecorded += 1;
}

export function countStates(states: Iterable<CellState>): OutcomeCounts {
  const counts = noCounts();
  for (const state of states) countState(counts, state);
  return counts;
}

/** Counts of each column of a matrix whose rows are items. */
export function countColumns(raw: readonly (readonly CellState[])[], columns: number): OutcomeCounts[] {
  const counts = Array.from({ length: columns }, noCounts);
  for (const row of raw) {
    for (let column = 0; column < columns; column += 1) countState(counts[column] as OutcomeCounts, row[column] ?? null);
  }
  return counts;
}
