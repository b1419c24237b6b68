import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CASE_FIELDS,
  formatRegister,
  ITEM_FIELDS,
  parseRegister,
  PROJECT_FIELDS,
  type Register,
  ROUND_FIELDS,
} from '../../src/sync/register.ts';
import { asProfile, asRun } from '../support/ids.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9_]{2,10}$/);
const profile = word.map(asProfile);
const version = fc.stringMatching(/^[0-9]{1,2}\.[0-9]{1,2}$/);
const itemUid = fc.string({ minLength: 1, unit: 'grapheme' });
const register: fc.Arbitrary<Register> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('assertion' as const, 'notes' as const),
    profile,
    version,
    rule: word,
    item: itemUid,
  }),
  fc.record({
    kind: fc.constant('item' as const),
    field: fc.constantFrom(...ITEM_FIELDS),
    item: itemUid,
  }),
  fc.record({ kind: fc.constant('case' as const), field: fc.constantFrom(...CASE_FIELDS) }),
  fc.record({ kind: fc.constant('project' as const), field: fc.constantFrom(...PROJECT_FIELDS) }),
  fc.record({
    kind: fc.constantFrom('run' as const, 'hidden' as const, 'time_stamp' as const),
    run: word.map(asRun),
  }),
  fc.record({ kind: fc.constant('retired' as const), profile }),
  fc.record({
    kind: fc.constantFrom('profile' as const, 'document' as const, 'version' as const),
    profile,
    version,
  }),
  fc.record({
    kind: fc.constantFrom('suggestion' as const, 'decision' as const),
    source: word,
    profile,
    version,
    rule: word,
    item: itemUid,
  }),
  fc.record({
    kind: fc.constant('round' as const),
    round: word,
    field: fc.constantFrom(...ROUND_FIELDS),
  }),
  fc.record({
    kind: fc.constantFrom('done' as const, 'removed' as const),
    round: word,
    recorder: word,
  }),
  fc.constant<Register>({ kind: 'policy', field: 'requires_source' }),
  fc.constant<Register>({ kind: 'stage' }),
  fc.record({ kind: fc.constant('committed' as const), sum: word, part: fc.nat(9_999) }),
  fc.record({ kind: fc.constant('thread' as const), thread: word }),
  fc.record({
    kind: fc.constant('assigned' as const),
    place: fc.oneof(
      fc.record({ on: fc.constant('item' as const), item_uid: itemUid }),
      fc.record({
        on: fc.constant('rule' as const),
        profile_uid: profile,
        profile_version: version,
        rule_uid: word,
      }),
    ),
  }),
);

describe('register addresses', () => {
  test('A1 what is written is read back, whatever the item is called', () => {
    fc.assert(
      fc.property(register, (one) => {
        expect(parseRegister(formatRegister(one))).toEqual(one);
      }),
    );
  });

  test('A1 two registers never share an address', () => {
    fc.assert(
      fc.property(
        register,
        register,
        (a, b) =>
          (formatRegister(a) === formatRegister(b)) === (JSON.stringify(a) === JSON.stringify(b)),
      ),
    );
  });

  test.each([
    '',
    'a',
    'a/',
    'a/p@1.0/rule',
    'a/p@1.0/rule/',
    'a/p/rule/i',
    'a/@1.0/rule/i',
    'item/label',
    'item/label/',
    'item/colour/i',
    'case/',
    'case/colour',
    'project/x/y',
    'run/',
    'run/a/b',
    'hidden/',
    'hidden/a/b',
    'retired/',
    'retired/a/b',
    'profile/p',
    'profile/@1',
    'profile/p@',
    'other/thing',
    '/x',
  ])('A2 %j is no address of this version', (address) =>
    expect(parseRegister(address)).toBeUndefined(),
  );
});
