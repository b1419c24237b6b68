import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protectText, unprotectText } from '../../../../src/shared/lib/spreadsheet-text.ts';

describe('text that is safe in a spreadsheet', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+x', "'+x"],
    ['-5', "'-5"],
    ['@sum', "'@sum"],
    ["'=x", "''=x"],
    ["'x", "'x"],
    ['a=1', 'a=1'],
    ['', ''],
  ])('%j is written %j', (text, written) => {
    expect(protectText(text)).toBe(written);
  });

  it('comes back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^['=+\-@\t\r]{0,4}[a-z]?$/)), (text) => {
        expect(unprotectText(protectText(text))).toBe(text);
        expect(protectText(text)).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});
