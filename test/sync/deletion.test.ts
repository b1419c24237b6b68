import { expect, test } from 'vitest';
import { editsUnderDeletion } from '../../src/sync/deletion.ts';

const name = (change: string, index: number): string => `c1_${change.repeat(43)}#${index}`;
const head = (change: string, index: number) => ({
  name: name(change, index),
  hlc: '000000000001-0000',
});

test('D1 a deletion knows what it lists and its own siblings; the rest are edits under it', () => {
  const heads = [head('a', 0), head('a', 1), head('d', 0), head('b', 0)];
  expect(editsUnderDeletion({ name: name('d', 2), covers: [name('a', 0)] }, heads)).toEqual([
    head('a', 1),
    head('b', 0),
  ]);
  expect(
    editsUnderDeletion({ name: name('d', 2), covers: heads.map((one) => one.name) }, heads),
  ).toEqual([]);
});
