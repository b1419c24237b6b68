import type { Action } from './action.ts';

export const rowsActions: readonly Action[] = [
  { id: 'items.add', label: 'Add items…', group: 'Items', keys: [], run: (editor) => editor.show('add') },
];
