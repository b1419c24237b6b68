/**
 * Asks once for all who want to know within one tick of the event loop, as links do whose requests
 * failed together. What they get was asked after they wanted it.
 */
export function oncePerTick<T>(ask: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () =>
    (next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = undefined;
      return ask();
    }));
}
