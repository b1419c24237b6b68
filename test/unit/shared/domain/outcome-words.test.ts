import { describe, expect, it } from 'vitest';
import { readOutcomeWord } from '../../../../src/shared/domain/outcome-words.ts';

describe('words for outcomes', () => {
  it.each([
    ['TRUE', 'TRUE'],
    ['true', 'TRUE'],
    ['T', 'TRUE'],
    ['t', 'TRUE'],
    ['FALSE', 'FALSE'],
    ['False', 'FALSE'],
    ['f', 'FALSE'],
    ['NA', 'NA'],
    ['na', 'NA'],
    ['N/A', 'NA'],
    ['n/a', 'NA'],
    ['#N/A', 'NA'],
    ['\u00A0TRUE \u00A0', 'TRUE'],
    ['\uFEFFfalse', 'FALSE'],
  ])('%j is %s everywhere', (word, state) => {
    expect(readOutcomeWord(word)).toEqual({ state, language: null });
  });

  it.each([
    ['WAHR', 'TRUE', 'German'],
    ['falsch', 'FALSE', 'German'],
    ['#NV', 'NA', 'German'],
    ['VRAI', 'TRUE', 'French'],
    ['faux', 'FALSE', 'French'],
    ['Verdadero', 'TRUE', 'Spanish'],
    ['FALSO', 'FALSE', 'Italian, Portuguese, Spanish'],
    ['VERO', 'TRUE', 'Italian'],
    ['verdadeiro', 'TRUE', 'Portuguese'],
    ['waar', 'TRUE', 'Dutch'],
    ['onwaar', 'FALSE', 'Dutch'],
    ['prawda', 'TRUE', 'Polish'],
    ['fałsz', 'FALSE', 'Polish'],
    ['FA\u0141SZ', 'FALSE', 'Polish'],
    ['sant', 'TRUE', 'Swedish'],
    ['falskt', 'FALSE', 'Swedish'],
    ['yanlış', 'FALSE', 'Turkish'],
    ['doğru', 'TRUE', 'Turkish'],
    ['ложь', 'FALSE', 'Russian'],
    ['EPA\u0308TOSI', 'FALSE', 'Finnish'],
    ['σωστό', 'TRUE', 'Greek'],
  ])('%j is %s, flagged as %s', (word, state, language) => {
    expect(readOutcomeWord(word)).toEqual({ state, language });
  });

  it.each([
    '',
    ' ',
    'yes',
    'no',
    '1',
    '0',
    '+',
    '-',
    'present',
    'absent',
    'x',
    'TRUE?',
    'null',
    'NaN',
    '<NA>',
    '#REF!',
    'T F',
    'T\u0000',
    'constructor',
    '__proto__',
  ])('%j is never read', (word) => {
    expect(readOutcomeWord(word)).toBeUndefined();
  });
});
