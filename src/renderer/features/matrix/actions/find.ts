import { openPalette } from '../../../state/commands.ts';
import { finderOf } from '../find/finder.ts';
import { type EditorAction, hasItems, GROUP_WORDS } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const findActions: readonly EditorAction[] = [
  {
    id: 'find',
    label: t('Find…'),
    group: 'Find',
    keys: ['Mod+F'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).open(),
    isEnabled: hasItems,
  },
  {
    id: 'find.next',
    label: t('Next match'),
    group: 'Find',
    keys: ['F3'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).step(false),
    isEnabled: hasItems,
  },
  {
    id: 'find.previous',
    label: t('Previous match'),
    group: 'Find',
    keys: ['Shift+F3'],
    scope: 'editor',
    inText: true,
    run: (editor) => finderOf(editor).step(true),
    isEnabled: hasItems,
  },
  {
    id: 'find.replace',
    label: t('Find and replace…'),
    group: 'Find',
    writes: true,
    keys: ['Mod+H', 'Mod+Shift+H'],
    scope: 'editor',
    inText: true,
    run: (editor) => editor.show('find-replace'),
    isEnabled: hasItems,
  },
  {
    id: 'go.item',
    label: t('Go to item…'),
    group: 'Find',
    keys: ['Mod+G'],
    scope: 'editor',
    run: () => openPalette(GROUP_WORDS.Items),
    isEnabled: hasItems,
  },
  {
    id: 'go.rule',
    label: t('Go to rule…'),
    group: 'Find',
    keys: ['Mod+Shift+G'],
    scope: 'editor',
    run: () => openPalette(GROUP_WORDS.Rules),
    isEnabled: hasItems,
  },
];
