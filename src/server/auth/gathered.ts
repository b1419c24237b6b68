/**
 * Looks up one at a time what is asked for one by one: what is asked while a look-up is under way waits for the next one, which finds all of it. So nobody
 * gets what was found before they asked, and the busier a server is the fewer look-ups it makes for each of them.
 */
export function gathered<T>(lookUp: (keys: string[]) => Promise<ReadonlyMap<string, T>>): (key: string) => Promise<T | undefined> {
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
