import { widen } from '../editor/selecting.ts';
import { type EditorAction, hasSelection } from '../editor/action.ts';
import { MOTIONS } from './motions.ts';

const withShift = (chord: string): string =>
  chord.startsWith('Mod+') ? `Mod+Shift+${chord.slice(4)}` : `Shift+${chord}`;
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

export const selectActions: readonly EditorAction[] = [
  ...MOTIONS.filter((entry) => entry.alsoExtends).map(({ motion, label, keys }): EditorAction => ({
    id: `extend.${keys[0]}`,
    label: `Extend ${lowerFirst(label)}`,
    group: 'Select',
    keys: keys.map(withShift),
    run: (editor) => editor.move(motion, true),
  })),
  {
    id: 'select.all',
    label: 'Select all items shown',
    group: 'Select',
    keys: ['Mod+A'],
    run: (editor) => editor.selectAll(),
  },
  {
    id: 'select.items',
    label: 'Select whole items',
    group: 'Select',
    keys: ['Shift+Space'],
    menu: { cell: 6 },
    run: (editor) => widen(editor, 'items'),
    isEnabled: hasSelection,
  },
  {
    id: 'select.rules',
    label: 'Select whole rules',
    group: 'Select',
    keys: ['Mod+Space'],
    menu: { cell: 6 },
    run: (editor) => widen(editor, 'rules'),
    isEnabled: hasSelection,
  },
  {
    id: 'select.collapse',
    label: 'Back to one cell',
    group: 'Select',
    keys: ['Escape'],
    run: (editor) => editor.collapse(),
    isEnabled: hasSelection,
  },
];
