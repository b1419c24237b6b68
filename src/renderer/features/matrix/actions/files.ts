import { type Action, hasItems } from './action.ts';

export const filesActions: readonly Action[] = [
  { id: 'run', label: 'Run', group: 'Files and runs', keys: [], run: (editor) => editor.run(), isEnabled: hasItems },
];
