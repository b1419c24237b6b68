import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ThreadEntry,
  threadId,
  ThreadOpening,
  type ThreadPlace,
} from '../../../src/shared/domain/thread.ts';
import { RoundTerms } from '../../../src/shared/domain/round.ts';
import {
  assignedTo,
  hidesPlace,
  type AuthoredEntry,
  threadOf,
} from '../../../src/sync/layers/discussion.ts';
import { lengthOf, seedOf } from '../../support/length.ts';
import { hasher } from '../simulation/core.ts';
import { A, B, G, idOf } from './cast.ts';

const begin = (more: Partial<Record<keyof ThreadOpening, unknown>> = {}): ThreadOpening =>
  ThreadOpening.parse({
    does: 'open',
    place: { on: 'item', item_uid: 'i0' },
    kind: 'query',
    text: 'Why?',
    opened_by: idOf(A),
    nonce: '0'.repeat(32),
    ...more,
  });
const said = (at: number, by: string, value: unknown): AuthoredEntry<ThreadEntry> => ({
  name: `c1_${String.fromCharCode(65 + at).repeat(43)}#0`,
  hlc: `019b76daa8${String(at).padStart(2, '0')}-0000`,
  by,
  value: value as ThreadEntry,
});
const play = (opening: ThreadOpening, ...rest: [string, unknown][]) => {
  const all = [
    said(0, opening.opened_by, opening),
    ...rest.map(([by, value], at) => said(at + 1, by, value)),
  ];
  const thread = threadOf(threadId(opening, hasher), all, hasher);
  return { state: thread?.state, assigned: thread?.assigned, waits: [...(thread?.waits ?? [])] };
};
const [a, b, g] = [idOf(A), idOf(B), idOf(G)];

describe('threads', () => {
  test('YT4 YT5 a query goes from open to answered to closed, and says for whom it waits', () => {
    const asked = begin({ assigned_to: b });
    const answer: [string, unknown] = [b, { does: 'answer', text: 'So.' }];
    const close: [string, unknown] = [a, { does: 'close' }];
    expect(play(asked)).toEqual({ state: 'open', assigned: b, waits: [[b, 'assigned']] });
    expect(play(asked, answer).state).toBe('answered');
    expect(play(asked, answer).waits).toEqual([[a, 'answered']]);
    expect(play(asked, answer, close)).toMatchObject({ state: 'closed', waits: [] });
    expect(play(asked, close, answer).state).toBe('closed');
    expect(play(asked, answer, close, [b, { does: 'reopen', text: 'No.' }])).toMatchObject({
      state: 'open',
      waits: [[b, 'assigned']],
    });
    expect(play(asked, [a, { does: 'assign', to: g }]).waits).toEqual([[g, 'assigned']]);
    expect(play(asked, [a, { does: 'assign', to: null }]).waits).toEqual([]);
  });

  test('YT5 whoever is mentioned is waited for until they write', () => {
    const asked = begin({ kind: 'comment', mentions: [b, a] });
    expect(play(asked).waits).toEqual([[b, 'mentioned']]);
    expect(play(asked, [b, { does: 'comment', text: 'Seen.' }]).waits).toEqual([]);
    expect(play(asked, [b, { does: 'answer', text: 'Seen.', mentions: [a] }])).toMatchObject({
      state: 'open',
      waits: [[a, 'mentioned']],
    });
  });

  test('YT2 what is said waits for the beginning, and another beginning is none', () => {
    const opening = begin();
    const id = threadId(opening, hasher);
    const answer = said(0, b, { does: 'answer', text: 'So.' });
    expect(threadOf(id, [answer], hasher)).toBeUndefined();
    const other = said(1, b, begin({ text: 'Other?', opened_by: b }));
    expect(threadOf(id, [answer, other], hasher)).toBeUndefined();
    const thread = threadOf(id, [answer, other, said(2, a, opening)], hasher);
    expect(thread?.entries.map(({ value }) => value.does)).toEqual(['open', 'answer']);
    expect(thread?.state).toBe('answered');
  });

  test('YT1 one order whatever the arrival, and nothing is lost', () => {
    const opening = begin();
    const id = threadId(opening, hasher);
    const value = fc.constantFrom<unknown>(
      { does: 'comment', text: 'x', mentions: [a] },
      { does: 'answer', text: 'x' },
      { does: 'close' },
      { does: 'reopen', text: 'x' },
      { does: 'assign', to: g },
    );
    const mixture = fc
      .array(fc.tuple(fc.constantFrom(a, b, g), value), { maxLength: 12 })
      .chain((rest) => {
        const all = [said(0, a, opening), ...rest.map(([by, one], at) => said(at + 1, by, one))];
        return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
      });
    fc.assert(
      fc.property(mixture, ([all, shuffled]) => {
        const thread = threadOf(id, all, hasher);
        expect(threadOf(id, [...shuffled, ...shuffled.slice(0, 2)], hasher)).toEqual(thread);
        expect(thread?.entries).toHaveLength(all.length);
      }),
      { numRuns: lengthOf(150, 5_000), seed: seedOf() },
    );
  });

  test('YT6 the last word says whom a row is assigned to', () => {
    const to = (at: number, whom: string | null) => ({
      ...said(at, a, null),
      value: { to: whom as typeof a | null } as never,
    });
    expect(assignedTo([])).toBeNull();
    expect(assignedTo([to(2, b), to(1, g)])).toBe(b);
    expect(assignedTo([to(2, b), to(3, null)])).toBeNull();
  });

  test.each<[ThreadPlace['on'], object, boolean]>([
    ['item', { item_uid: 'i0' }, true],
    ['item', { item_uid: 'i1' }, false],
    ['rule', { rule_uid: 'rule_0' }, true],
    ['rule', { rule_uid: 'rule_1' }, false],
    ['rule', { rule_uid: 'rule_0', profile_version: '2.0' }, false],
    ['cell', { item_uid: 'i0', rule_uid: 'rule_0' }, true],
    ['cell', { item_uid: 'i0', rule_uid: 'rule_1' }, false],
    ['cell', { item_uid: 'i1', rule_uid: 'rule_0' }, false],
  ])('YT7 of a place on %s %o a recorder is shown nothing: %s', (on, more, hidden) => {
    const matrix = on === 'item' ? {} : { profile_uid: 'test_profile', profile_version: '1.0' };
    const place = { on, ...matrix, ...more } as ThreadPlace;
    const terms = RoundTerms.parse({
      recorders: [a, b],
      profile_uid: 'test_profile',
      profile_version: '1.0',
      items: ['i0'],
      rules: ['rule_0'],
      quorum: 2,
      opened_by: a,
      record: 'hidden',
      na_is_a_category: true,
      nonce: '0'.repeat(32),
    });
    const round = { terms, state: 'open' as const, removed: new Set<string>() };
    expect(hidesPlace(round, b, place)).toBe(hidden);
    expect(hidesPlace(round, g, place)).toBe(false);
    expect(hidesPlace({ ...round, state: 'released' }, b, place)).toBe(false);
    expect(hidesPlace({ ...round, removed: new Set([b]) }, b, place)).toBe(false);
  });
});
