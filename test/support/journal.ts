import { appendFileSync, readFileSync } from 'node:fs';

/**
 * What was acknowledged to somebody, in a file outside of all that is tested: one line a write,
 * made only once the answer was in hand.
 */
export class Journal {
  readonly #file: string;
  #made = 0;

  constructor(file: string) {
    this.#file = file;
    appendFileSync(file, '');
  }

  /** A word that stands in one write and in no other. */
  token(): string {
    this.#made += 1;
    return `w${this.#made}.`;
  }

  acknowledged(...tokens: string[]): void {
    if (tokens.length > 0) appendFileSync(this.#file, `${tokens.join('\n')}\n`);
  }

  tokens(): string[] {
    return [
      ...new Set(
        readFileSync(this.#file, 'utf8')
          .split('\n')
          .filter((line) => line !== ''),
      ),
    ];
  }
}

/** Acknowledged tokens that no change of the log holds. */
export function missing(tokens: readonly string[], log: readonly { change: string }[]): string[] {
  const whole = log.map(({ change }) => change).join('\n');
  return tokens.filter((token) => !whole.includes(`"${token}"`));
}
