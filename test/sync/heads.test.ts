import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyEntry,
  compareHeads,
  displayedHead,
  EMPTY_REGISTER,
  type HeadEntry,
  type RegisterState,
} from '../../src/sync/heads.ts';
import { lengthOf } from '../support/length.ts';

interface Written extends HeadEntry {
  parents: string[];
}

const id = (n: number): string => `c1_${String(n).padStart(43, '0')}`;

/**
 * A register's entries: each names any of the earlier ones, names that never arrive, and names of
 * other registers.
 */
const register = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(), { maxLength: 3 }),
      never: fc.boolean(),
      hlc: fc.nat(3),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((drafts): Written[] =>
    drafts.map(({ parents, never, hlc }, index) => ({
      name: `${id(index)}#0`,
      hlc: `00000000000${hlc}-0000`,
      parents: [
        ...new Set([
          ...(index === 0 ? [] : parents.map((parent) => `${id(parent % index)}#0`)),
          ...(never ? [`${id(900 + index)}#0`] : []),
        ]),
      ],
    })),
  );

function run(entries: readonly Written[]): RegisterState {
  const applied = new Set<string>();
  let state: RegisterState = EMPTY_REGISTER;
  for (const entry of entries) {
    state = applyEntry(state, entry, entry.parents, (name) => applied.has(name));
    applied.add(entry.name);
  }
  return state;
}

/** The definition: applied entries that no applied entry names. */
function headsOf(entries: readonly Written[]): string[] {
  const named = new Set(entries.flatMap((entry) => entry.parents));
  return entries
    .map((entry) => entry.name)
    .filter((name) => !named.has(name))
    .sort();
}

describe('heads of a register', () => {
  test('H1 I9 are what the definition says after every prefix of every order of arrival', () => {
    fc.assert(
      fc.property(
        register.chain((entries) =>
          fc.tuple(
            fc.constant(entries),
            fc.shuffledSubarray(entries, { minLength: entries.length }),
          ),
        ),
        ([entries, shuffled]) => {
          for (let count = 1; count <= shuffled.length; count += 1) {
            const part = shuffled.slice(0, count);
            expect(
              run(part)
                .heads.map((head) => head.name)
                .sort(),
            ).toEqual(headsOf(part));
          }
          expect(displayedHead(run(shuffled))?.name).toBe(displayedHead(run(entries))?.name);
        },
      ),
      { numRuns: lengthOf(250, 5_000) },
    );
  });

  test('I13 clocks decide nothing but which of the heads is displayed', () => {
    fc.assert(
      fc.property(register, fc.infiniteStream(fc.nat(5)), (entries, clocks) => {
        const others = entries.map((entry) => ({
          ...entry,
          hlc: `00000000000${clocks.next().value ?? 0}-0000`,
        }));
        const [one, two] = [run(entries), run(others)];
        expect(two.heads.map((head) => head.name)).toEqual(one.heads.map((head) => head.name));
        expect(two.heads.map((head) => head.name)).toContain(displayedHead(two)?.name);
      }),
      { numRuns: 500 },
    );
  });

  test('H2 names that are waited for are kept until they come', () => {
    const child: Written = {
      name: `${id(2)}#0`,
      hlc: '000000000002-0000',
      parents: [`${id(1)}#0`],
    };
    const parent: Written = { name: `${id(1)}#0`, hlc: '000000000001-0000', parents: [] };
    const waiting = run([child]);
    expect(waiting.cited).toEqual([parent.name]);
    expect(run([child, parent])).toEqual({
      heads: [{ name: child.name, hlc: child.hlc, parents: child.parents }],
      cited: [],
    });
    expect(applyEntry(EMPTY_REGISTER, child, child.parents, () => true).cited).toEqual([]);
  });

  test('H4 a head that comes again supersedes what it names and is there once', () => {
    const [first, second] = [1, 2].map((n): HeadEntry => ({
      name: `${id(n)}#0`,
      hlc: `00000000000${n}-0000`,
    })) as [HeadEntry, HeadEntry];
    // A snapshot shows the second; the log after an earlier position brings both.
    const snapshot: RegisterState = { heads: [second], cited: [] };
    const caughtUp = applyEntry(
      applyEntry(snapshot, first, [], () => false),
      second,
      [first.name],
      () => false,
    );
    expect(caughtUp.heads.map((head) => head.name)).toEqual([second.name]);
  });

  test('H3 rank is clock, then change, then index as a number', () => {
    const heads: HeadEntry[] = [
      { name: `${id(1)}#10`, hlc: '000000000001-0000' },
      { name: `${id(1)}#9`, hlc: '000000000001-0000' },
      { name: `${id(2)}#0`, hlc: '000000000001-0000' },
      { name: `${id(0)}#0`, hlc: '000000000001-0001' },
    ];
    expect([...heads].sort(compareHeads).map((head) => head.name)).toEqual([
      `${id(1)}#9`,
      `${id(1)}#10`,
      `${id(2)}#0`,
      `${id(0)}#0`,
    ]);
    expect(displayedHead({ heads, cited: [] })?.name).toBe(`${id(0)}#0`);
    expect(displayedHead(EMPTY_REGISTER)).toBeUndefined();
  });
});
