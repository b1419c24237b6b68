import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';

const estimator = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
});

/** How many guesses a password stands, as a power of ten, from whoever tries these words first. */
export function estimateGuesses(password: string, words: readonly string[]): number {
  return estimator.check(password, [...words]).guessesLog10;
}
