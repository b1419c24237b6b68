import type { Action } from './action.ts';

export const helpActions: readonly Action[] = [
  { id: 'help', label: 'Keys and signs', group: 'Help', keys: ['?'], scope: 'editor', run: (editor) => editor.show('help') },
];
