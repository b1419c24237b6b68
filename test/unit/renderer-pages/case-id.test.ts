import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestCaseId } from '../../../src/renderer/features/cases/suggest-case-id.ts';
import { CaseUid } from '../../../src/shared/domain/uid.ts';

describe('the ID that a title suggests', () => {
  it.each([
    ['Trio one', 'trio-one'],
    ['  BRCA1: c.68_69del  ', 'brca1:c.68_69del'],
    ['Überprüfung Straße 12', 'uberprufung-strasse-12'],
    ['(a) – b', 'a-b'],
    ['日本', ''],
    ['', ''],
  ])('%j suggests %j', (title, id) => {
    expect(suggestCaseId(title)).toBe(id);
  });

  it('is empty or a valid ID, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (title) => {
        const id = suggestCaseId(title);
        expect(id === '' || CaseUid.safeParse(id).success).toBe(true);
      }),
    );
  });
});
