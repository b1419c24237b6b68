import { askToMove, askToRemove, hasSelectedItems, nudgeItems } from '../rows/rows.ts';
import type { Action } from './action.ts';

export const rowsActions: readonly Action[] = [
  { id: 'items.addOne', label: 'Add an item…', group: 'Items', writes: true, keys: ['Alt+Insert', 'Mod+Shift+Enter'], menu: { cell: 7, item: 7 }, run: (editor) => editor.show('item-add') },
  { id: 'items.add', label: 'Add items…', group: 'Items', writes: true, keys: [], menu: { item: 7 }, run: (editor) => editor.show('add') },
  { id: 'items.edit', label: 'Edit the item…', group: 'Items', writes: true, keys: ['Shift+F2'], menu: { cell: 7, item: 7 }, run: (editor) => editor.show('item-edit'), isEnabled: hasSelectedItems },
  { id: 'items.up', label: 'Move up', group: 'Items', writes: true, keys: ['Alt+ArrowUp'], menu: { item: 8 }, run: (editor) => void nudgeItems(editor, false), isEnabled: hasSelectedItems },
  { id: 'items.down', label: 'Move down', group: 'Items', writes: true, keys: ['Alt+ArrowDown'], menu: { item: 8 }, run: (editor) => void nudgeItems(editor, true), isEnabled: hasSelectedItems },
  { id: 'items.move', label: 'Move to…', group: 'Items', writes: true, keys: [], menu: { item: 8 }, run: askToMove, isEnabled: hasSelectedItems },
  { id: 'items.remove', label: 'Remove the items', group: 'Items', writes: true, keys: ['Mod+Delete', 'Mod+Backspace'], menu: { cell: 7, item: 9 }, run: askToRemove, isEnabled: hasSelectedItems },
  { id: 'items.removed', label: 'Removed items…', group: 'Items', keys: [], menu: { item: 9 }, run: (editor) => editor.show('items-removed') },
];
