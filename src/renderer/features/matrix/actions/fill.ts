import { fillBlock, fillSelection } from '../editor/fill.ts';
import { type EditorAction, hasCell } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const fillActions: readonly EditorAction[] = [
  {
    id: 'fill.down',
    label: t('Fill down'),
    group: 'Fill',
    writes: true,
    suggests: true,
    keys: ['Mod+D'],
    menu: { cell: 3 },
    run: (editor) => void fillBlock(editor, 'down', false),
    isEnabled: hasCell,
  },
  {
    id: 'fill.right',
    label: t('Fill right'),
    group: 'Fill',
    writes: true,
    suggests: true,
    keys: ['Mod+R'],
    menu: { cell: 3 },
    run: (editor) => void fillBlock(editor, 'right', false),
    isEnabled: hasCell,
  },
  {
    id: 'fill.downDetails',
    label: t('Fill down with source, notes and provenance'),
    group: 'Fill',
    writes: true,
    keys: [],
    run: (editor) => void fillBlock(editor, 'down', true),
    isEnabled: hasCell,
  },
  {
    id: 'fill.rightDetails',
    label: t('Fill right with source, notes and provenance'),
    group: 'Fill',
    writes: true,
    keys: [],
    run: (editor) => void fillBlock(editor, 'right', true),
    isEnabled: hasCell,
  },
  {
    id: 'fill.selection',
    label: t('Set the selection to the value of the focused cell'),
    group: 'Fill',
    writes: true,
    suggests: true,
    keys: ['Mod+Enter'],
    run: (editor) => void fillSelection(editor),
    isEnabled: hasCell,
  },
];
