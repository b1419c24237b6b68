import type { Figure } from '../figure.ts';

/** One measured size: how many cells or changes, and what that took. */
export interface Point {
  size: number;
  value: number;
}

/** The exponent b of value = a * size^b, fitted through the logarithms by least squares. */
export function exponentOf(points: readonly Point[]): number {
  const logs = points.map(({ size, value }) => [Math.log(size), Math.log(value)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  return (
    logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) /
    logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0)
  );
}

export const LINEAR = 1.1;
export const CONSTANT = 0.1;

const sizeName = (size: number): string =>
  size >= 1_000_000 ? `${size / 1_000_000}M` : size >= 1_000 ? `${size / 1_000}k` : String(size);
export const milliseconds = (value: number): string =>
  value >= 10_000
    ? `${(value / 1_000).toFixed(1)} s`
    : value >= 1_000
      ? `${(value / 1_000).toFixed(2)} s`
      : `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} ms`;

export const bytes = (value: number): string =>
  value >= 2 ** 20
    ? `${(value / 2 ** 20).toFixed(1)} MiB`
    : value >= 2 ** 13
      ? `${(value / 2 ** 10).toFixed(0)} KiB`
      : `${value.toFixed(0)} B`;

/** "1k 12 ms, 10k 80 ms" */
export function list(points: readonly Point[], write: (value: number) => string): string {
  return points.map(({ size, value }) => `${sizeName(size)} ${write(value)}`).join(', ');
}

interface Scaled {
  what: string;
  points: readonly Point[];
  write: (value: number) => string;
  /** Absolute target for the point of this size (the largest, if not said). */
  target: number;
  at?: number;
  grows: typeof LINEAR | typeof CONSTANT;
  floor?: string;
  compared?: string;
  /** A further condition: words for the gate, and whether it holds. */
  also?: { gate: string; met: boolean };
}

/** A row that must stay under its target and must not grow faster than it may. */
export function scaled({
  what,
  points,
  write,
  target,
  at,
  grows,
  floor = '',
  compared = '',
  also,
}: Scaled): Figure {
  const measured = at === undefined ? points.at(-1) : points.find(({ size }) => size === at);
  const exponent = exponentOf(points);
  const gates = [
    `at most ${write(target)}${at === undefined ? '' : ` at ${sizeName(at)}`}`,
    `exponent at most ${grows}`,
    ...(also === undefined ? [] : [also.gate]),
  ];
  const met =
    measured !== undefined && measured.value <= target && exponent <= grows && also?.met !== false;
  return {
    what,
    ours: `${list(points, write)}; exponent ${exponent.toFixed(2)}`,
    floor,
    compared,
    gate: gates.join('; '),
    met,
  };
}
