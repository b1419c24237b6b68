import { asProfile } from '../../support/ids.ts';
import { describe, expect, it } from 'vitest';
import {
  mappingProblems,
  roleOptions,
} from '../../../src/renderer/features/transfer/import/mapping.ts';
import {
  recallShape,
  type RememberedShape,
  rememberShape,
} from '../../../src/renderer/features/transfer/import/memory.ts';
import { suspicion } from '../../../src/renderer/features/transfer/import/suspicion.ts';
import { CLONES, GENES } from '../../fixtures/names-that-spreadsheets-break.ts';

const rules = [
  { ruleUid: 'parent_missing', name: 'Parent missing' },
  { ruleUid: 'phase_open', name: 'Same' },
  { ruleUid: 'phase_lost', name: 'same' },
];

describe('columns', () => {
  it('are refused by name where two are used for the same, or what is needed is missing', () => {
    expect(
      mappingProblems({ form: 'wide', roles: ['label', 'label', 'ignore'] }, ['a', '', 'c']),
    ).toEqual([
      'Columns A (a) and B (no heading) are used for the same: Item: label. Choose one.',
      'No column is used as the item’s ID.',
    ]);
    expect(mappingProblems({ form: 'long', roles: ['item_uid'] }, ['a'])).toHaveLength(2);
  });
  it('offer every rule, and their own heading as metadata', () => {
    expect(roleOptions('Guide', 'wide', rules).map(({ value }) => value)).toEqual([
      'ignore',
      'item_uid',
      'label',
      'item_type',
      'metadata:Guide',
      'rule:parent_missing',
      'rule:phase_open',
      'rule:phase_lost',
    ]);
  });
});

describe('what is remembered of columns', () => {
  it('is strictly read, and forgets rules that are gone', () => {
    const kept = new Map<string, string>();
    Object.assign(globalThis, {
      localStorage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
      },
    });
    const headers = ['a', 'b'];
    const shape: RememberedShape = {
      mapping: { form: 'wide', roles: ['item_uid', 'rule:parent_missing'] },
      polarities: new Map([[1, 'evidence']]),
      chosen: new Map([[1, new Map([['text ?', 'NA']])]]),
    };
    rememberShape(headers, asProfile('p'), shape);
    expect(recallShape(headers, asProfile('p'), () => true)).toEqual(shape);
    expect(recallShape(headers, asProfile('p'), () => false)?.mapping.roles).toEqual([
      'item_uid',
      'ignore',
    ]);
    expect(recallShape(['b', 'a'], asProfile('p'), () => true)).toBeUndefined();
    expect(recallShape(headers, asProfile('q'), () => true)).toBeUndefined();
    for (const text of [
      '{',
      '[{"headers":"x","form":"wide","roles":["rule:BAD"]}]',
      '[{"headers":1}]',
      '7',
    ]) {
      kept.set('evidence-studio.import-columns', text);
      expect(recallShape(headers, asProfile('p'), () => true)).toBeUndefined();
    }
  });
});

describe('names and spreadsheets', () => {
  it.each(['1-Mar', '2-Sep', 'Sep-02', '2.31E+19', '42615', '41883', '2016-09-02', '#N/A'])(
    '%s was probably changed',
    (text) => expect(suspicion({ text, kind: 'text' })?.isChanged).toBe(true),
  );
  it('dates, errors, truth values and long numbers of a workbook were changed', () => {
    expect(
      (['date', 'error', 'boolean'] as const).map(
        (kind) => suspicion({ text: 'x', kind })?.isChanged,
      ),
    ).toEqual([true, true, true]);
    expect(suspicion({ text: '12345678901234567000', kind: 'number' })?.isChanged).toBe(true);
    expect(suspicion({ text: '17', kind: 'number' })).toBeUndefined();
  });
  it('gene symbols and clone names that are still whole are only at risk', () => {
    for (const text of [...GENES.filter((gene) => /^(?:SEPT|MARCH|DEC)\d+$/.test(gene)), ...CLONES])
      expect(suspicion({ text, kind: 'text' })?.isChanged, text).toBe(false);
    expect(suspicion({ text: '00123456', kind: 'text' })?.isChanged).toBe(false);
    for (const text of ['BRCA1', 'item_001', 'chr1:12345:A>G', '0'])
      expect(suspicion({ text, kind: 'text' }), text).toBeUndefined();
  });
});
