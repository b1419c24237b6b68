import type { CellState } from './outcome.ts';

/** Two rules that say the same wherever both were recorded. */
export interface AgreeingRules {
  /** Columns of the two, the first in order first. */
  first: number;
  second: number;
  /** Items for which both have an outcome. */
  compared: number;
  /** Whether they say different things of different items: else they agree by being constant. */
  varies: boolean;
}

const STATES = ['FALSE', 'TRUE', 'NA'] as const;

/** For each rule and outcome one bit an item: 32 items are compared at once. */
type RuleBits = readonly [present: Uint32Array, problem: Uint32Array, unavailable: Uint32Array];

function bitsOf(raw: readonly (readonly CellState[])[], column: number): RuleBits {
  const words = Math.ceil(raw.length / 32);
  const bits: RuleBits = [new Uint32Array(words), new Uint32Array(words), new Uint32Array(words)];
  for (let row = 0; row < raw.length; row += 1) {
    const state = raw[row]?.[column] ?? null;
    if (state === null) continue;
    const of = bits[STATES.indexOf(state)] as Uint32Array;
    of[row >>> 5] = (of[row >>> 5] as number) | (1 << (row & 31));
  }
  return bits;
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** How often the two were compared, in how many outcomes; undefined where they differ once. */
function compareRules(
  a: RuleBits,
  b: RuleBits,
): { compared: number; outcomes: number } | undefined {
  let compared = 0;
  let [present, problem, unavailable] = [0, 0, 0];
  for (let word = 0; word < a[0].length; word += 1) {
    const [a0, a1, a2] = [a[0][word] as number, a[1][word] as number, a[2][word] as number];
    const [b0, b1, b2] = [b[0][word] as number, b[1][word] as number, b[2][word] as number];
    const both = (a0 | a1 | a2) & (b0 | b1 | b2);
    const same = (a0 & b0) | (a1 & b1) | (a2 & b2);
    if (both !== same) return undefined;
    compared += countOnes(both);
    present |= a0 & b0;
    problem |= a1 & b1;
    unavailable |= a2 & b2;
  }
  const outcomes = [present, problem, unavailable].filter((word) => word !== 0).length;
  return { compared, outcomes };
}

/**
 * The pairs of rules that never differ where both were recorded, in the order of the rules. Yields
 * after each rule how many are done, so that long work can be cut into slices; returns the pairs.
 */
export function* agreeingRules(
  raw: readonly (readonly CellState[])[],
  rules: number,
): Generator<number, AgreeingRules[]> {
  const bits: RuleBits[] = [];
  const pairs: AgreeingRules[] = [];
  for (let second = 0; second < rules; second += 1) {
    const own = bitsOf(raw, second);
    for (const [first, other] of bits.entries()) {
      const found = compareRules(other, own);
      if (found !== undefined && found.compared > 0)
        pairs.push({ first, second, compared: found.compared, varies: found.outcomes > 1 });
    }
    bits.push(own);
    yield second + 1;
  }
  return pairs.sort((a, b) => a.first - b.first || a.second - b.second);
}
