import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { Slope } from '../figures/draw-slopes.tsx';
import { nameOf } from '../figures/figure-items.ts';

/** The items of both runs as lines from mean to mean; those with the same two are one. */
export function slopeLines(from: RunRecord, to: RunRecord): Slope[] {
  const before = new Map(from.result.items.map((item) => [item.item_uid, item.theta_mean]));
  const lines = new Map<string, Slope>();
  for (const [row, item] of to.frozen.items.entries()) {
    const [was, is] = [before.get(item.item_uid), to.result.items[row]?.theta_mean];
    if (was === undefined || is === undefined) continue;
    const known = lines.get(`${was} ${is}`);
    if (known === undefined)
      lines.set(`${was} ${is}`, { from: was, to: is, items: 1, name: nameOf(item) });
    else known.items += 1;
  }
  return [...lines.values()];
}
