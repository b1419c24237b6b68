import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesInWords } from '../../../src/renderer/features/profiles/compare/changes-in-words.ts';
import { compareHeaders, compareRules } from '../../../src/shared/domain/profile-comparison.ts';
import { diffWords } from '../../../src/renderer/features/profiles/compare/words.ts';
import { distanceOf, nextVersion } from '../../../src/renderer/features/profiles/next-version.ts';
import { compareVersions } from '../../../src/shared/domain/version.ts';
import { profileWith, ruleOf, someProfile } from './arbitrary.ts';

const [a, b, c, d] = ['rule_a', 'rule_b', 'rule_c', 'rule_d'].map((uid) => ruleOf(uid)) as [
  ReturnType<typeof ruleOf>,
  ReturnType<typeof ruleOf>,
  ReturnType<typeof ruleOf>,
  ReturnType<typeof ruleOf>,
];
const kinds = (
  before: Parameters<typeof profileWith>[0],
  after: Parameters<typeof profileWith>[0],
) =>
  compareRules(profileWith(before), profileWith(after)).map(
    (rule) =>
      `${rule.ruleUid.slice(-1)} ${rule.kind}${'moved' in rule && rule.moved ? ' moved' : ''}`,
  );

describe('two versions, rule by rule', () => {
  it('tells added, removed, changed and unchanged, a removed one where it stood', () => {
    expect(kinds([a, b, c], [a, { ...c, problemMeaning: 'Other words.' }, d])).toEqual([
      'a unchanged',
      'b removed',
      'c changed',
      'd added',
    ]);
  });
  it('a rule inserted above moves nobody; one that jumped has moved', () => {
    expect(kinds([a, b, c], [d, a, b, c])).toEqual([
      'd added',
      'a unchanged',
      'b unchanged',
      'c unchanged',
    ]);
    expect(kinds([a, b, c], [c, a, b])).toEqual([
      'c unchanged moved',
      'a unchanged',
      'b unchanged',
    ]);
  });
  it('a change of each text counts, another order number does not', () => {
    for (const text of [
      'name',
      'description',
      'evidenceMeaning',
      'problemMeaning',
      'notAvailableMeaning',
    ] as const)
      expect(kinds([a], [{ ...a, [text]: 'x' }])).toEqual(['a changed']);
    const renumbered = profileWith([a, b]);
    for (const rule of renumbered.rules) rule.ruleOrder *= 10;
    expect(compareRules(profileWith([a, b]), renumbered).map((rule) => rule.kind)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });
  it('says every rule of both once, and says the same backwards', () => {
    fc.assert(
      fc.property(someProfile, someProfile, (before, after) => {
        const there = compareRules(before, after);
        const back = new Map(compareRules(after, before).map((rule) => [rule.ruleUid, rule.kind]));
        const mirror = {
          added: 'removed',
          removed: 'added',
          changed: 'changed',
          unchanged: 'unchanged',
        };
        expect(new Set(there.map((rule) => rule.ruleUid))).toEqual(
          new Set([...before.rules, ...after.rules].map((rule) => rule.ruleUid)),
        );
        expect(there).toHaveLength(back.size);
        for (const rule of there) expect(back.get(rule.ruleUid)).toBe(mirror[rule.kind]);
        expect(there.flatMap((rule) => ('after' in rule ? [rule.ruleUid] : []))).toEqual(
          after.rules.map((rule) => rule.ruleUid),
        );
        // What did not move stands in the same order in both.
        const still = there
          .filter((rule) => 'moved' in rule && !rule.moved)
          .map((rule) => rule.ruleUid);
        expect(
          before.rules.map((rule) => rule.ruleUid).filter((uid) => still.includes(uid)),
        ).toEqual(still);
      }),
    );
  });
  it('compares the header too, a field that is absent as empty', () => {
    expect(
      compareHeaders(
        profileWith([a]),
        profileWith([a], { version: '2.0', scope: 'wider', sourceUrl: 'https://example.org' }),
      ),
    ).toEqual([
      { field: 'scope', before: 's', after: 'wider' },
      { field: 'sourceUrl', before: '', after: 'https://example.org' },
    ]);
    expect(changesInWords(profileWith([a, b]), profileWith([b, a, c], { scope: 'x' }))).toBe(
      '1 rule added, 1 rule moved, 1 header field changed',
    );
    expect(changesInWords(profileWith([a]), profileWith([a], { version: '9.9' }))).toBe(
      'nothing differs',
    );
  });
});

describe('words that differ', () => {
  it('keeps what is equal', () => {
    expect(diffWords('the parent has no call', 'the parent has a poor call')).toEqual([
      { kind: 'same', text: 'the parent has ' },
      { kind: 'removed', text: 'no' },
      { kind: 'new', text: 'a poor' },
      { kind: 'same', text: ' call' },
    ]);
  });
  it('gives both texts back, also where they are too long to compare word by word', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', 'é', '.', '  ', '🧬'), { maxLength: 30 })
      .map((parts) => parts.join(''));
    const check = (before: string, after: string): void => {
      const pieces = diffWords(before, after);
      expect(
        pieces
          .filter((piece) => piece.kind !== 'new')
          .map((piece) => piece.text)
          .join(''),
      ).toBe(before);
      expect(
        pieces
          .filter((piece) => piece.kind !== 'removed')
          .map((piece) => piece.text)
          .join(''),
      ).toBe(after);
      if (before === after) expect(pieces.every((piece) => piece.kind === 'same')).toBe(true);
    };
    fc.assert(fc.property(words, words, check));
    check('x y '.repeat(3_000), 'y z '.repeat(3_000));
  });
});

describe('the next version', () => {
  it.each([
    ['major', [a, b], [a]],
    ['major', [a], [{ ...a, name: 'x' }]],
    ['major', [a], [{ ...a, ruleUid: 'rule_z' }]],
    ['minor', [a], [a, b]],
    ['patch', [a, b], [b, a]],
    ['none', [a], [a]],
  ] as const)('is %s', (distance, before, after) => {
    expect(distanceOf(profileWith(before), profileWith(after))).toBe(distance);
  });
  it('is patch where only the header differs', () => {
    expect(distanceOf(profileWith([a]), profileWith([a], { maintainer: 'other' }))).toBe('patch');
  });
  it.each([
    ['1.0', 'major', '2.0'],
    ['1.0', 'minor', '1.1'],
    ['1.0', 'patch', '1.0.1'],
    ['1.9', 'minor', '1.10'],
    ['1.2.3', 'major', '2.0.0'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'none', '1.2.4'],
    ['9007199254740993.0', 'major', '9007199254740994.0'],
  ] as const)('after %s, %s: %s', (newest, distance, next) => {
    expect(nextVersion(newest, distance)).toBe(next);
  });
  it('is always higher', () => {
    const part = fc.nat(50);
    fc.assert(
      fc.property(
        fc.tuple(part, part, fc.option(part)),
        fc.constantFrom('major', 'minor', 'patch', 'none'),
        ([x, y, z], distance) => {
          const newest = z === null ? `${x}.${y}` : `${x}.${y}.${z}`;
          expect(compareVersions(nextVersion(newest, distance), newest)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
