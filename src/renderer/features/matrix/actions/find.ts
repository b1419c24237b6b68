import { openPalette } from '../../../state/commands.ts';
import { type Action, hasItems } from './action.ts';

export const findActions: readonly Action[] = [
  { id: 'go.item', label: 'Go to item…', group: 'Find', keys: ['Mod+G'], scope: 'editor', run: () => openPalette('Items'), isEnabled: hasItems },
  { id: 'go.rule', label: 'Go to rule…', group: 'Find', keys: ['Mod+Shift+G'], scope: 'editor', run: () => openPalette('Rules'), isEnabled: hasItems },
];
