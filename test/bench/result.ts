import { computeResult, DEFAULT_SETTINGS } from '../../src/shared/domain/result.ts';
import { type CellState, stateOf } from '../../src/shared/domain/outcome.ts';
import type { Figure } from './figure.ts';
import { median, time } from './measure.ts';

export function matrix(items: number, rules: number): Parameters<typeof computeResult>[0] {
  return {
    items: Array.from({ length: items }, (_, i) => `item_${i}`),
    rules: Array.from({ length: rules }, (_, j) => `rule_${j}`),
    raw: Array.from({ length: items }, (_, i) =>
      Array.from({ length: rules }, (_, j) => stateOf((i * 31 + j * 17 + ((i * j) % 7)) % 4)),
    ),
  };
}

/** One pass over the same cells that only counts: what reading the matrix costs by itself. */
export function count(raw: readonly (readonly CellState[])[]): number {
  let k = 0;
  for (const row of raw) for (const state of row) if (state === 'FALSE') k++;
  return k;
}

export async function resultBench(): Promise<Figure[]> {
  const measured: number[] = [];
  let floor = 0;
  for (const items of [1_000, 10_000]) {
    const input = matrix(items, 50);
    const runs: number[] = [];
    const floors: number[] = [];
    for (let i = 0; i < 15; i++) {
      runs.push(await time(() => computeResult(input, DEFAULT_SETTINGS)));
      floors.push(await time(() => count(input.raw)));
    }
    measured.push(median(runs));
    floor = median(floors);
  }
  const [small = 0, large = 0] = measured;
  return [
    {
      what: 'result of 10,000 x 50',
      ours: `${large.toFixed(1)} ms`,
      floor: `${floor.toFixed(1)} ms to count the same cells`,
      compared: `${(large / small).toFixed(1)} times the time of 1,000 x 50`,
      gate: 'under 100 ms',
      met: large < 100,
    },
  ];
}
