/** Units of work (about one cell each) between two pauses: 5 to 10 ms. */
const UNITS = 2_500;

/** Lets other requests run: a request of 10,000 cells must not stop every other one for its whole length. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts work; `due` tells when a pause is in order. Counting instead of timing keeps clocks out. */
export class Pace {
  #left = UNITS;

  due(units = 1): boolean {
    this.#left -= units;
    if (this.#left > 0) return false;
    this.#left = UNITS;
    return true;
  }
}
