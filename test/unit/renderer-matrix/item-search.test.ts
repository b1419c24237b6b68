import { expect, it } from 'vitest';
import { createItemSearch } from '../../../src/renderer/features/matrix/model/item-search.ts';

const row = (item_uid: string, label = '', position = 0) => ({
  item_uid,
  label,
  item_type: 'clone',
  metadata: {},
  position,
});
const items = [
  row('clone_a1', 'Parental'),
  row('ctrl_1', 'clone of A'),
  row('b_clone', 'other'),
  row('z', 'a clone'),
];

it('finds items that begin so before others, by uid before by label', () => {
  const search = createItemSearch();
  expect(search(items, 'Clone', 50).map(({ item_uid }) => item_uid)).toEqual([
    'clone_a1',
    'ctrl_1',
    'b_clone',
    'z',
  ]);
  expect(search(items, 'Clone', 2).map(({ item_uid }) => item_uid)).toEqual(['clone_a1', 'ctrl_1']);
  expect(search(items, '', 2)).toHaveLength(2);
  expect(search(items, 'none', 2)).toEqual([]);
  expect(search([...items, row('none')], 'none', 2)).toHaveLength(1);
});
