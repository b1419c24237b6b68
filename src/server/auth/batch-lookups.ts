/**
 * Combines look-ups of single keys into one look-up of many. While one is running, further keys
 * wait and go together into the next. An answer is therefore never older than its question, and the
 * busier the server, the fewer look-ups each question costs.
 */
export function batchLookups<T>(
  lookUp: (keys: string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  let next: { keys: Set<string>; found: Promise<ReadonlyMap<string, T>> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return async (key) => {
    if (next === undefined) {
      const keys = new Set<string>();
      const begin = (): Promise<ReadonlyMap<string, T>> => {
        next = undefined;
        return lookUp([...keys]);
      };
      next = { keys, found: last.then(begin, begin) };
      last = next.found;
    }
    next.keys.add(key);
    return (await next.found).get(key);
  };
}
