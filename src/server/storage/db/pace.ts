/** Units of work (about one cell each) between two pauses: 1 to 2 ms. */
const UNITS = 500;

const paused: (() => void)[] = [];
function goOn(): void {
  paused.shift()?.();
  if (paused.length > 0) setImmediate(goOn);
}

/**
 * Lets other requests run: a request of 10,000 cells must not stop every other one for its whole
 * length. Of all who pause, one continues in each turn of the event loop, so that a short request
 * waits for one step of one of them and not for a step of each.
 */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    paused.push(resolve);
    if (paused.length === 1) setImmediate(goOn);
  });
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
