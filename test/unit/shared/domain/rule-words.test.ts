import { describe, expect, it } from 'vitest';
import { rulesByWord } from '../../../../src/shared/domain/rule-words.ts';

const ruleOf = rulesByWord([
  { ruleUid: 'call_rate', name: 'Call rate' },
  { ruleUid: 'twice_a', name: 'Twice' },
  { ruleUid: 'twice_b', name: 'twice ' },
  { ruleUid: 'constructor', name: 'Préfixe' },
  { ruleUid: 'other', name: 'call_rate' },
]);

describe('a rule by a word of a table', () => {
  it.each([
    ['call_rate', 'call_rate'],
    [' CALL_RATE ', 'call_rate'],
    ['call  Rate', 'call_rate'],
    ['Pre\u0301fixe', 'constructor'],
    ['twice_b', 'twice_b'],
  ])('%j is %s', (word, rule) => expect(ruleOf(word)).toBe(rule));
  it.each(['', 'Twice', 'toString', 'call'])('%j is none', (word) =>
    expect(ruleOf(word)).toBeUndefined(),
  );
});
