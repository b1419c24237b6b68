import { widen } from '../editor/selecting.ts';
import { type EditorAction, hasSelection } from '../editor/action.ts';
import { MOTIONS } from './motions.ts';
import { t } from '../../../text/t.ts';

const withShift = (chord: string): string =>
  chord.startsWith('Mod+') ? `Mod+Shift+${chord.slice(4)}` : `Shift+${chord}`;

export const selectActions: readonly EditorAction[] = [
  ...MOTIONS.flatMap(({ motion, extending, keys }): EditorAction[] =>
    extending === undefined
      ? []
      : [
          {
            id: `extend.${keys[0]}`,
            label: extending,
            group: 'Select',
            keys: keys.map(withShift),
            run: (editor) => editor.move(motion, true),
          },
        ],
  ),
  {
    id: 'select.all',
    label: t('Select all items shown'),
    group: 'Select',
    keys: ['Mod+A'],
    run: (editor) => editor.selectAll(),
  },
  {
    id: 'select.items',
    label: t('Select whole items'),
    group: 'Select',
    keys: ['Shift+Space'],
    menu: { cell: 6 },
    run: (editor) => widen(editor, 'items'),
    isEnabled: hasSelection,
  },
  {
    id: 'select.rules',
    label: t('Select whole rules'),
    group: 'Select',
    keys: ['Mod+Space'],
    menu: { cell: 6 },
    run: (editor) => widen(editor, 'rules'),
    isEnabled: hasSelection,
  },
  {
    id: 'select.collapse',
    label: t('Back to one cell'),
    group: 'Select',
    keys: ['Escape'],
    run: (editor) => editor.collapse(),
    isEnabled: hasSelection,
  },
];
