import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PersonalTexts } from '../../../src/renderer/state/personal-texts.ts';

type Texts = Map<string, unknown>;

/** A copy in which reading and writing take turns of their own, and two windows of it. */
async function twoWindows(texts: Texts = new Map(), isFull = false) {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  const kept = {
    get: async (key: string) => (await turn(), texts.get(key)),
    set: async (key: string, value: unknown) => {
      await turn();
      if (isFull) throw new Error('full');
      if (value === undefined) texts.delete(key);
      else texts.set(key, value);
    },
    all: async () => (await turn(), new Map(texts)),
  };
  const windows: [PersonalTexts, PersonalTexts] = [
    new PersonalTexts((key) => setImmediate(() => windows[1].heard(key))),
    new PersonalTexts((key) => setImmediate(() => windows[0].heard(key))),
  ];
  for (const window of windows) await window.read(kept);
  const settled = async (): Promise<void> => {
    for (let left = 40; left > 0; left -= 1) await turn();
  };
  return { windows, settled, turn };
}

const listOf = (window: PersonalTexts, key: string): string[] =>
  JSON.parse(window.getItem(key) ?? '[]') as string[];
const add = (window: PersonalTexts, key: string, name: string): void =>
  window.setItem(key, JSON.stringify([...listOf(window, key), name]));

it('two windows have the same texts, and neither writes over what the other has added', async () => {
  const texts: Texts = new Map([['views', '["first"]']]);
  const { windows, settled } = await twoWindows(texts);
  const [one, other] = windows;
  add(one, 'views', 'second');
  await settled();
  add(other, 'views', 'third');
  await settled();
  for (const window of windows)
    expect(listOf(window, 'views')).toEqual(['first', 'second', 'third']);
  other.removeItem('views');
  await settled();
  expect([one.getItem('views'), texts.size]).toEqual([null, 0]);
});

it('remembers for the time of the window what the device has no room for', async () => {
  const { windows, settled } = await twoWindows(new Map(), true);
  windows[0].setItem('views', '["kept"]');
  await settled();
  expect(windows[0].getItem('views')).toBe('["kept"]');
});

it('whatever two windows write at once, both end with what the copy holds', async () => {
  const act = fc.record({
    window: fc.constantFrom(0, 1),
    key: fc.constantFrom('a', 'b'),
    text: fc.option(fc.string({ maxLength: 3 })),
    turns: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
      const texts: Texts = new Map();
      const { windows, settled, turn } = await twoWindows(texts);
      for (const { window, key, text, turns } of acts) {
        if (text === null) windows[window]!.removeItem(key);
        else windows[window]!.setItem(key, text);
        expect(windows[window]!.getItem(key)).toBe(text);
        for (let left = turns; left > 0; left -= 1) await turn();
      }
      await settled();
      for (const key of ['a', 'b'])
        expect(windows.map((window) => window.getItem(key))).toEqual(
          windows.map(() => texts.get(key) ?? null),
        );
    }),
    { numRuns: 60 },
  );
});
