import type { CellState } from './outcome.ts';

/**
 * Order of code points, which is that of the bytes of UTF-8 and so of both databases. UTF-16 puts
 * the halves of a pair before U+E000 to U+FFFF; these two ranges are exchanged.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

const rank = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;

/**
 * The one order of rows, in the editor, in the API, in runs and in exports: by `position`, then by
 * `item_uid`.
 */
export function compareRows(
  a: { item_uid: string; position: number },
  b: { item_uid: string; position: number },
): number {
  return a.position - b.position || compareText(a.item_uid, b.item_uid);
}

/** Rows in their order. A new array. */
export function orderItems<T extends { item_uid: string; position: number }>(
  items: Iterable<T>,
): T[] {
  return [...items].sort(compareRows);
}

/** Columns in their order: by `ruleOrder`, which is unique in a profile. A new array. */
export function orderRules<T extends { ruleUid: string; ruleOrder: number }>(
  rules: Iterable<T>,
): T[] {
  return [...rules].sort((a, b) => a.ruleOrder - b.ruleOrder || compareText(a.ruleUid, b.ruleUid));
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
export function countColumns(
  raw: readonly (readonly CellState[])[],
  columns: number,
): OutcomeCounts[] {
  const counts = Array.from({ length: columns }, noCounts);
  for (const row of raw) {
    for (let column = 0; column < columns; column += 1)
      countState(counts[column] as OutcomeCounts, row[column] ?? null);
  }
  return counts;
}
