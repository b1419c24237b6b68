/**
 * Pairs of words by which sheets say that something is so or not. They are no outcomes: whether
 * "yes" means that evidence is present or that a problem was found is for a person to say.
 */
const PAIRS: readonly (readonly [so: readonly string[], not: readonly string[]])[] = [
  [
    ['YES', 'Y', 'JA', 'OUI', 'SI', 'SÍ'],
    ['NO', 'N', 'NEIN', 'NON'],
  ],
  [['1'], ['0']],
  [
    ['PASS', 'PASSED', 'OK'],
    ['FAIL', 'FAILED', 'NOT OK'],
  ],
  [
    ['+', 'POS', 'POSITIVE'],
    ['-', '\u2212', '\u2013', 'NEG', 'NEGATIVE'],
  ],
  [
    ['✓', '✔', '☑', '✅'],
    ['✗', '✘', '☒', '❌', '✕', '✖'],
  ],
  [['PRESENT'], ['ABSENT']],
];
/** A dash alone is as often "nothing here": it is the other half of a plus and of nothing else. */
const DASHES = new Set(['-', '\u2212', '\u2013']);

/** Which half of a pair a word is. */
export type PairHalf = 'so' | 'not';

const HALVES: ReadonlyMap<string, PairHalf> = new Map(
  PAIRS.flatMap(([so, not]) => [
    ...so.map((word) => [word, 'so'] as const),
    ...not.map((word) => [word, 'not'] as const),
  ]),
);

const fold = (word: string): string =>
  word.trim().normalize('NFC').replaceAll('\ufe0f', '').toUpperCase();

/** Finds of each word of a column which half of a pair it is; undefined for every other word. */
export function pairHalves(words: readonly string[]): (word: string) => PairHalf | undefined {
  const hasPlus = words.some((word) => ['+', 'POS', 'POSITIVE'].includes(fold(word)));
  return (word) => {
    const folded = fold(word);
    return DASHES.has(folded) && !hasPlus ? undefined : HALVES.get(folded);
  };
}
