import { goRound } from '../editor/selecting.ts';
import { type EditorAction, hasSelection } from '../editor/action.ts';
import { MOTIONS } from './motions.ts';
import { t } from '../../../text/t.ts';

export const moveActions: readonly EditorAction[] = [
  ...MOTIONS.map(({ motion, label, keys, round }): EditorAction => ({
    id: `move.${keys[0]}`,
    label,
    group: 'Move',
    keys,
    run: (editor) =>
      (round !== undefined && goRound(editor, round, motion === 'up' || motion === 'previous')) ||
      editor.move(motion, false),
  })),
  {
    id: 'move.here',
    label: t('Scroll to the focused cell'),
    group: 'Move',
    keys: ['Mod+Backspace'],
    run: (editor) => editor.focusGrid(),
    isEnabled: hasSelection,
  },
  {
    id: 'move.unrecorded',
    label: t('Next unrecorded cell'),
    group: 'Move',
    keys: ['U'],
    run: (editor) => editor.moveToUnrecorded(false),
  },
  {
    id: 'move.unrecordedBack',
    label: t('Previous unrecorded cell'),
    group: 'Move',
    keys: ['Shift+U'],
    run: (editor) => editor.moveToUnrecorded(true),
  },
];
