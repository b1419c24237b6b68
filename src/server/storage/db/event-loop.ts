/** Units of work (about one cell each) after which to yield: 1 to 2 ms. */
const UNITS = 500;

const waiting: (() => void)[] = [];
function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Lets other requests run: a request of 10,000 cells must not stop every other one for its whole
 * length. Of all that wait here, one continues in each turn of the event loop, so that a short
 * request waits for one step of one of them and not for a step of each.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

/** Runs work in steps and yields after each. */
export async function inSteps<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}

/** Counts work and says when it is time to yield. Counting instead of timing keeps clocks out. */
export class WorkCounter {
  #left = UNITS;

  due(units = 1): boolean {
    this.#left -= units;
    if (this.#left > 0) return false;
    this.#left = UNITS;
    return true;
  }
}
