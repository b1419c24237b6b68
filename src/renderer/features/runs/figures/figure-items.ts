import type { CountResult, RunResult } from '../../../../shared/domain/result.ts';
import type { ItemResultRow } from '../../../../shared/domain/item-lines.ts';
import { t } from '../../../text/t.ts';

/** An item as figures show it. */
export interface FigureItem {
  /** Place in the run. */
  row: number;
  uid: string;
  name: string;
  k: number;
  m: number;
  alpha: number;
  beta: number;
  mean: number;
  lower: number;
  upper: number;
  percentile: number;
  chosen: boolean;
}

export const nameOf = ({ label, item_uid }: Pick<ItemResultRow, 'label' | 'item_uid'>): string =>
  label === '' ? item_uid : label;

/** Rows of the run by how much evidence they have, the most first; equal ones in case order. */
export function rankRows(lines: readonly ItemResultRow[]): number[] {
  return lines
    .map((_, row) => row)
    .sort((a, b) => (lines[b]?.k ?? 0) - (lines[a]?.k ?? 0) || a - b);
}

/** The first `top` of these rows; where items were chosen, those alone, at most as many. */
export function figureItems(
  lines: readonly ItemResultRow[],
  ranked: readonly number[],
  chosen: ReadonlySet<string>,
  top: number,
): FigureItem[] {
  const items: FigureItem[] = [];
  for (const row of ranked) {
    const line = lines[row];
    if (line === undefined || (chosen.size > 0 && !chosen.has(line.item_uid))) continue;
    items.push({
      row,
      uid: line.item_uid,
      name: nameOf(line),
      k: line.k,
      m: line.m,
      alpha: line.alpha,
      beta: line.beta,
      mean: line.theta_mean,
      lower: line.theta_lower,
      upper: line.theta_upper,
      percentile: line.percentile,
      chosen: chosen.has(line.item_uid),
    });
    if (items.length === top) break;
  }
  return items;
}

/** Items that share a posterior, since they meet the same number of rules. */
export interface SharedDensity {
  name: string;
  k: number;
  m: number;
  alpha: number;
  beta: number;
  items: readonly FigureItem[];
}

/** The first `most` different posteriors of these items, each named by all that have it. */
export function sharedDensities(items: readonly FigureItem[], most: number): SharedDensity[] {
  const byCount = new Map<number, FigureItem[]>();
  for (const item of items) byCount.set(item.k, [...(byCount.get(item.k) ?? []), item]);
  return [...byCount.values()].slice(0, most).map((group) => {
    const [first] = group as [FigureItem, ...FigureItem[]];
    const { k, m, alpha, beta } = first;
    const more = group.length - 1;
    const name =
      more === 0
        ? t('{name}, {k} of {m}', { name: first.name, k, m })
        : t('{name} and {more} more, {k} of {m}', { name: first.name, more, k, m });
    return { name, k, m, alpha, beta, items: group };
  });
}

/** The results of a run by k, as it states them, in ascending order. */
export function countResults(items: RunResult['items']): CountResult[] {
  const byCount = new Map<number, CountResult>();
  for (const item of items) {
    const known = byCount.get(item.k);
    if (known === undefined) {
      const { item_uid: _, ...shared } = item;
      byCount.set(item.k, { ...shared, size: 1 });
    } else known.size += 1;
  }
  return [...byCount.values()].sort((a, b) => a.k - b.k);
}
