import { type Action, hasSelection } from './action.ts';

export const recordActions: readonly Action[] = [
  { id: 'record.false', label: 'FALSE: evidence present', group: 'Record', writes: true, keys: ['F', 'Shift+F'], menu: { cell: 1, item: 1, rule: 1 }, run: (editor) => void editor.record('FALSE'), isEnabled: hasSelection },
  { id: 'record.true', label: 'TRUE: problem found', group: 'Record', writes: true, keys: ['T', 'Shift+T'], menu: { cell: 1, item: 1, rule: 1 }, run: (editor) => void editor.record('TRUE'), isEnabled: hasSelection },
  { id: 'record.na', label: 'NA: not available', group: 'Record', writes: true, keys: ['N', 'Shift+N'], menu: { cell: 1, item: 1, rule: 1 }, run: (editor) => void editor.record('NA'), isEnabled: hasSelection },
  { id: 'record.clear', label: 'Clear to unrecorded', group: 'Record', writes: true, keys: ['Delete', 'Backspace'], menu: { cell: 1, item: 1, rule: 1 }, run: (editor) => void editor.clear(false), isEnabled: hasSelection },
  { id: 'record.clearAll', label: 'Clear with its details', group: 'Record', writes: true, keys: ['Shift+Delete'], run: (editor) => void editor.clear(true), isEnabled: hasSelection },
];
