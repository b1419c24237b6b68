import { describe, expect, it } from 'vitest';
import type { Alternative, Contest, EntryAuthor } from '../../../src/renderer/data/store/port.ts';
import {
  authorOf,
  type BulkRule,
  decide,
  planBulk,
  sumsOf,
  toSettlings,
} from '../../../src/renderer/features/matrix/conflicts/decide.ts';

type Raw = 'TRUE' | 'FALSE' | 'NA' | null;
const head = (
  entry: string,
  raw_outcome: Raw,
  source_value: string | null = null,
): Alternative => ({
  reg: 'r',
  field: 'outcome',
  entry,
  displayed: entry === 'a',
  value: { raw_outcome },
  raw_outcome,
  source_value,
  notes: null,
  provenance: null,
});
const note = (entry: string, notes: string): Alternative => ({
  ...head(entry, null),
  field: 'notes',
  value: notes,
  notes,
});
const writer = (entry: string, by: string, at: string, mine = false, here = mine): EntryAuthor => ({
  entry,
  by,
  at,
  kind: 'human',
  reason: null,
  mine,
  here,
  restored: null,
});
const WRITERS = new Map(
  [
    writer('a', 'Ada', '2026-01-01T10:00:00.000Z', true),
    writer('b', 'Ben', '2026-01-01T12:00:00.000Z'),
    writer('c', 'Ben', '2026-01-01T11:00:00.000Z'),
    writer('d', 'Ada', '2026-01-01T09:00:00.000Z', true, false),
  ].map((one) => [one.entry, one]),
);
const taken = (
  heads: Alternative[],
  rule: BulkRule,
  author: string | null = null,
  writers: ReadonlyMap<string, EntryAuthor> = WRITERS,
) => decide(heads, rule, writers, author)?.entry ?? null;

describe('a rule', () => {
  it('takes what is shown, mine, theirs, one author’s, the newest', () => {
    const heads = [head('a', 'FALSE'), head('b', 'TRUE')];
    expect(
      (['shown', 'mine', 'theirs', 'newest'] as const).map((rule) => taken(heads, rule)),
    ).toEqual(['a', 'a', 'b', 'b']);
    expect([taken(heads, 'author', 'Ben'), taken(heads, 'author', 'Cem')]).toEqual(['b', null]);
  });

  it('decides nothing where those that it lets through differ, or an author is not known', () => {
    const heads = [head('a', 'FALSE'), head('b', 'TRUE'), head('c', 'NA')];
    expect([taken(heads, 'theirs'), taken(heads, 'mine')]).toEqual([null, 'a']);
    expect(taken([head('a', 'FALSE'), head('z', 'TRUE')], 'mine')).toBeNull();
    expect(
      taken([head('a', 'FALSE'), head('b', 'TRUE', '1'), head('c', 'TRUE', '2')], 'problem'),
    ).toBeNull();
  });

  it('lets TRUE win, NA and unrecorded lose, a source win; of notes it says nothing', () => {
    expect(taken([head('a', 'FALSE'), head('b', 'TRUE')], 'problem')).toBe('b');
    expect(taken([head('a', 'FALSE'), head('b', 'NA')], 'problem')).toBeNull();
    expect(taken([head('a', 'NA'), head('b', null), head('c', 'FALSE')], 'measured')).toBe('c');
    expect(taken([head('a', 'FALSE'), head('b', 'TRUE', 'gel 4')], 'sourced')).toBe('b');
    expect(
      (['problem', 'measured', 'sourced'] as const).map((rule) =>
        taken([note('a', 'x'), note('b', 'y')], rule),
      ),
    ).toEqual([null, null, null]);
    expect(taken([note('a', 'x'), note('b', 'y')], 'theirs')).toBe('b');
  });

  it('tells one person’s two devices apart', () => {
    expect([authorOf(WRITERS.get('a')!), authorOf(WRITERS.get('d')!)]).toEqual([
      'Ada',
      'Ada, another device',
    ]);
    const heads = [head('a', 'FALSE'), head('d', 'TRUE')];
    expect([taken(heads, 'mine'), taken(heads, 'theirs')]).toEqual(['a', 'd']);
  });
});

it('a plan names the heads that were shown, and is summed up', () => {
  const all: Record<string, Alternative[]> = {
    r1: [head('a', 'FALSE'), head('b', 'TRUE')],
    r2: [head('a', 'TRUE'), head('b', 'NA')],
    r3: [head('a', 'FALSE'), head('b', 'NA')],
    r4: [note('a', 'x'), note('b', 'y')],
  };
  const contests = Object.keys(all).map((reg): Contest => ({
    reg,
    item: 'i',
    rule: 'r',
    field: 'outcome',
    kind: 'value',
  }));
  const plan = planBulk({ headsOf: (reg) => all[reg]! }, contests, 'problem', WRITERS, null);
  expect(sumsOf(plan)).toEqual({
    to: { FALSE: 0, TRUE: 2, NA: 0, unrecorded: 0, other: 0 },
    resolved: 2,
    changed: 1,
    undecided: 2,
  });
  expect(toSettlings(plan)).toEqual([
    { reg: 'r1', heads: ['a', 'b'], value: { raw_outcome: 'TRUE' } },
    { reg: 'r2', heads: ['a', 'b'], value: { raw_outcome: 'TRUE' } },
  ]);
});
