/** Units of work (about one cell each) between two pauses: 5 to 10 ms. */
const UNITS = 2_500;

/** Lets other requests run: a request of 10,000 cells must not stop every other one for its whole length. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Work in steps with a pause after each. */
export async function paced<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Counts work and says when a pause is due. Counting instead of timing keeps clocks out. */
export class Pace {
  #left = UNITS;

  due(units = 1): boolean {
    this.#left -= units;
    if (this.#left > 0) return false;
    this.#left = UNITS;
    return true;
  }
}
