import { openPalette } from '../../../state/commands.ts';
import { finderOf } from '../find/finder.ts';
import { type EditorAction, hasItems } from '../editor/action.ts';

export const findActions: readonly EditorAction[] = [
  {
    id: 'find',
    label: 'Find…',
    group: 'Find',
    keys: ['Mod+F'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).open(),
    isEnabled: hasItems,
  },
  {
    id: 'find.next',
    label: 'Next match',
    group: 'Find',
    keys: ['F3'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).step(false),
    isEnabled: hasItems,
  },
  {
    id: 'find.previous',
    label: 'Previous match',
    group: 'Find',
    keys: ['Shift+F3'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).step(true),
    isEnabled: hasItems,
  },
  {
    id: 'go.item',
    label: 'Go to item…',
    group: 'Find',
    keys: ['Mod+G'],
    scope: 'editor',
    run: () => openPalette('Items'),
    isEnabled: hasItems,
  },
  {
    id: 'go.rule',
    label: 'Go to rule…',
    group: 'Find',
    keys: ['Mod+Shift+G'],
    scope: 'editor',
    run: () => openPalette('Rules'),
    isEnabled: hasItems,
  },
];
