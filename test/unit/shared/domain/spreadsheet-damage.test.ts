import { describe, expect, it } from 'vitest';
import { spreadsheetDamage } from '../../../../src/shared/domain/spreadsheet-damage.ts';
import { CLONES, GENES } from '../../../fixtures/names-that-spreadsheets-break.ts';

describe('texts that a spreadsheet has changed', () => {
  it.each([
    '2-Sep',
    '1-Mar',
    '02-Sep',
    'Sep-02',
    '1-Dec-24',
    '1. Mrz',
    '2-sept',
    '2024-09-02',
    '2024-09-02 00:00:00',
    '9/2/2024',
    '01.03.24',
    '2.31E+19',
    '2,31E+19',
    '1E+05',
    '42615',
    '#NAME?',
    '#REF!',
    '#N/A',
    '#####',
    '12345678901234500',
  ])('%s is flagged', (text) => {
    expect(spreadsheetDamage(text)).toMatch(/spreadsheet/);
  });

  it.each([
    '',
    'item_001',
    '7-117559592-CTT--_AR',
    'chr1:12345:A>G',
    'rs42615',
    '1234',
    '99999',
    '00042615',
    '1-2',
    '3/4',
    'MARCHF1',
    'SEPTIN2',
    'DEC1',
    '1E5',
    'A1-Sep',
    '2-September x',
    '123456789012345',
  ])('%j is not', (text) => {
    expect(spreadsheetDamage(text)).toBeNull();
  });

  it('names that would break are not flagged while they are whole', () => {
    for (const name of [...GENES.filter((gene) => !gene.startsWith('Mar-')), ...CLONES])
      expect(spreadsheetDamage(name), name).toBeNull();
  });
});
