import type { EditorAction } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const historyActions: readonly EditorAction[] = [
  {
    id: 'history.undo',
    label: t('Undo'),
    group: 'History',
    writes: true,
    keys: ['Mod+Z'],
    scope: 'editor',
    run: (editor) => void editor.undo(),
    isEnabled: ({ session }) => session.canUndo,
  },
  {
    id: 'history.redo',
    label: t('Redo'),
    group: 'History',
    writes: true,
    keys: ['Mod+Y', 'Mod+Shift+Z'],
    scope: 'editor',
    run: (editor) => void editor.redo(),
    isEnabled: ({ session }) => session.canRedo,
  },
];
