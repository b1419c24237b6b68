import { describe, expect, it } from 'vitest';
import { batchLookups } from '../../../src/server/auth/batch-lookups.ts';

/** Look-ups that end when they are told to. */
function slow() {
  const begun: { keys: string[]; end(error?: Error): void }[] = [];
  const find = batchLookups((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    begun.push({
      keys,
      end: (error) =>
        error === undefined
          ? resolve(new Map(keys.filter((key) => key !== 'none').map((key) => [key, `of ${key}`])))
          : reject(error),
    });
    return promise;
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { begun, find, turn };
}

describe('things looked up together', () => {
  it('begin at once, and what is asked meanwhile waits for one look-up of all of it', async () => {
    const { begun, find, turn } = slow();
    const first = find('a');
    await turn();
    expect(begun.map(({ keys }) => keys)).toEqual([['a']]);
    const rest = Promise.all([find('a'), find('b'), find('none'), find('b')]);
    await turn();
    expect(begun).toHaveLength(1);
    begun[0]!.end();
    expect(await first).toBe('of a');
    await turn();
    expect(begun.slice(1).map(({ keys }) => keys)).toEqual([['a', 'b', 'none']]);
    begun[1]!.end();
    expect(await rest).toEqual(['of a', 'of b', undefined, 'of b']);
  });

  it('fail for those who asked for them, and for nobody after', async () => {
    const { begun, find, turn } = slow();
    const both = Promise.allSettled([find('a'), find('b')]);
    await turn();
    begun[0]!.end(new Error('away'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = find('a');
    await turn();
    begun[1]!.end();
    expect(await again).toBe('of a');
  });
});
