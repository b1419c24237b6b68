import { openPalette } from '../../../state/commands.ts';
import { startTour } from '../../../state/tour.ts';
import { type EditorAction, hasItems } from '../editor/action.ts';

export const helpActions: readonly EditorAction[] = [
  {
    id: 'help',
    label: 'Keyboard shortcuts',
    group: 'Help',
    keys: ['?', 'F1'],
    scope: 'editor',
    run: (editor) => editor.show('help'),
  },
  {
    id: 'palette',
    label: 'All commands…',
    group: 'Help',
    keys: ['Mod+K'],
    scope: 'editor',
    inText: true,
    run: () => openPalette(),
  },
  {
    id: 'tour',
    label: 'Take the tour',
    group: 'Help',
    keys: [],
    run: () => startTour(),
    isEnabled: hasItems,
  },
];
