/** Runs all steps of a generator and returns its result. */
export function inOneGo<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
