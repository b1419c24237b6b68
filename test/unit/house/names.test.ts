import { expect, test } from 'vitest';
import { countNames } from '../../../scripts/check-names.ts';

test('a name that two files declare is a homonym, whatever kind of type it is', () => {
  const { names, homonyms, share } = countNames([
    { path: 'a.ts', text: 'export interface Row { a: 1 }\nenum Kind { A }\nexport type Only = 1;' },
    { path: 'b.tsx', text: 'class Row {}\nexport type Kind = string;' },
    { path: 'c.ts', text: 'abstract class Base {}' },
  ]);
  expect(names).toBe(4);
  expect([...homonyms]).toEqual([
    ['Row', ['a.ts', 'b.tsx']],
    ['Kind', ['a.ts', 'b.tsx']],
  ]);
  expect(share).toBe(50);
});

test('a name has one home where one file declares it twice, and others use or export it', () => {
  const { names, homonyms, share } = countNames([
    { path: 'a.ts', text: 'export const Id = 1;\nexport type Id = typeof Id;' },
    { path: 'b.ts', text: "import type { Id } from './a.ts';\nexport const id: Id = 1;" },
    { path: 'c.ts', text: "export type { Id } from './a.ts';\nfunction f() { type Id = 2; }" },
  ]);
  expect([names, homonyms.size, share]).toEqual([1, 0, 0]);
});

test('without sources there is no share', () => {
  expect(countNames([]).share).toBe(0);
});
