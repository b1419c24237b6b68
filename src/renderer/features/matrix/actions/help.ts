import { openPalette } from '../../../state/commands.ts';
import { startTour } from '../../../state/tour.ts';
import { type EditorAction, hasItems } from '../editor/action.ts';
import { t } from '../../../text/t.ts';

export const helpActions: readonly EditorAction[] = [
  {
    id: 'help',
    label: t('Keyboard shortcuts'),
    group: 'Help',
    keys: ['?', 'F1'],
    scope: 'editor',
    run: (editor) => editor.show('help'),
  },
  {
    id: 'palette',
    label: t('All commands…'),
    group: 'Help',
    keys: ['Mod+K'],
    scope: 'editor',
    inText: true,
    run: () => openPalette(),
  },
  {
    id: 'tour',
    label: t('Take the tour'),
    group: 'Help',
    keys: [],
    run: () => startTour(),
    isEnabled: hasItems,
  },
];
