import type { Editor } from './editor.ts';
import type { Motion } from './motion.ts';

export type ActionGroup = 'Record' | 'Move' | 'Select' | 'History' | 'Panel and help' | 'Items and run';

export interface Action {
  id: string;
  label: string;
  group: ActionGroup;
  /** Chords as in `keymap.ts`; the first is the one menus show. Empty: no key. */
  keys: readonly string[];
  /** False leaves the key to the grid. */
  run(editor: Editor): boolean | void;
  /** Absent: always. */
  isEnabled?(editor: Editor): boolean;
}

const MOTIONS: readonly { motion: Motion; label: string; keys: readonly string[]; alsoExtends: boolean }[] = [
  { motion: 'up', label: 'Up', keys: ['ArrowUp'], alsoExtends: true },
  { motion: 'down', label: 'Down', keys: ['ArrowDown'], alsoExtends: true },
  { motion: 'left', label: 'Left', keys: ['ArrowLeft'], alsoExtends: true },
  { motion: 'right', label: 'Right', keys: ['ArrowRight'], alsoExtends: true },
  { motion: 'edgeUp', label: 'Up to the edge of a block', keys: ['Mod+ArrowUp'], alsoExtends: true },
  { motion: 'edgeDown', label: 'Down to the edge of a block', keys: ['Mod+ArrowDown'], alsoExtends: true },
  { motion: 'edgeLeft', label: 'Left to the edge of a block', keys: ['Mod+ArrowLeft'], alsoExtends: true },
  { motion: 'edgeRight', label: 'Right to the edge of a block', keys: ['Mod+ArrowRight'], alsoExtends: true },
  { motion: 'rowStart', label: 'First rule', keys: ['Home'], alsoExtends: true },
  { motion: 'rowEnd', label: 'Last rule', keys: ['End'], alsoExtends: true },
  { motion: 'pageUp', label: 'One page up', keys: ['PageUp'], alsoExtends: true },
  { motion: 'pageDown', label: 'One page down', keys: ['PageDown'], alsoExtends: true },
  { motion: 'first', label: 'First cell', keys: ['Mod+Home'], alsoExtends: true },
  { motion: 'last', label: 'Last cell', keys: ['Mod+End'], alsoExtends: true },
  { motion: 'down', label: 'Next item', keys: ['Enter'], alsoExtends: false },
  { motion: 'up', label: 'Former item', keys: ['Shift+Enter'], alsoExtends: false },
  { motion: 'next', label: 'Next rule, then next item', keys: ['Tab'], alsoExtends: false },
  { motion: 'previous', label: 'Former rule, then former item', keys: ['Shift+Tab'], alsoExtends: false },
];

const withShift = (chord: string): string => (chord.startsWith('Mod+') ? `Mod+Shift+${chord.slice(4)}` : `Shift+${chord}`);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const moves: Action[] = MOTIONS.map(({ motion, label, keys }) => ({ id: `move.${keys[0]}`, label, group: 'Move', keys, run: (editor) => editor.move(motion, false) }));
const extensions: Action[] = MOTIONS.filter((entry) => entry.alsoExtends).map(({ motion, label, keys }) => ({
  id: `extend.${keys[0]}`, label: `Extend ${lowerFirst(label)}`, group: 'Select', keys: keys.map(withShift), run: (editor) => editor.move(motion, true),
}));

const hasSelection = (editor: Editor): boolean => editor.store.getState().selection !== null;

/** Every command of the editor: keys, menus and the help sheet read this one table. */
export const ACTIONS: readonly Action[] = [
  { id: 'record.false', label: 'FALSE: evidence present', group: 'Record', keys: ['F', 'Shift+F'], run: (editor) => void editor.record('FALSE'), isEnabled: hasSelection },
  { id: 'record.true', label: 'TRUE: problem found', group: 'Record', keys: ['T', 'Shift+T'], run: (editor) => void editor.record('TRUE'), isEnabled: hasSelection },
  { id: 'record.na', label: 'NA: not available', group: 'Record', keys: ['N', 'Shift+N'], run: (editor) => void editor.record('NA'), isEnabled: hasSelection },
  { id: 'record.clear', label: 'Clear to unrecorded', group: 'Record', keys: ['Delete', 'Backspace'], run: (editor) => void editor.clear(false), isEnabled: hasSelection },
  { id: 'record.clearAll', label: 'Clear with its details', group: 'Record', keys: ['Shift+Delete'], run: (editor) => void editor.clear(true), isEnabled: hasSelection },
  ...moves,
  { id: 'move.unrecorded', label: 'Next unrecorded cell', group: 'Move', keys: ['U'], run: (editor) => editor.moveToUnrecorded(false) },
  { id: 'move.unrecordedBack', label: 'Former unrecorded cell', group: 'Move', keys: ['Shift+U'], run: (editor) => editor.moveToUnrecorded(true) },
  ...extensions,
  { id: 'select.all', label: 'Select all items shown', group: 'Select', keys: ['Mod+A'], run: (editor) => editor.selectAll() },
  { id: 'select.collapse', label: 'Back to one cell', group: 'Select', keys: ['Escape'], run: (editor) => editor.collapse(), isEnabled: hasSelection },
  { id: 'history.undo', label: 'Undo', group: 'History', keys: ['Mod+Z'], run: (editor) => void editor.undo(), isEnabled: ({ session }) => session.canUndo },
  { id: 'history.redo', label: 'Redo', group: 'History', keys: ['Mod+Y', 'Mod+Shift+Z'], run: (editor) => void editor.redo(), isEnabled: ({ session }) => session.canRedo },
  { id: 'panel.open', label: 'Show the evidence panel', group: 'Panel and help', keys: ['Space'], run: (editor) => editor.openPanel() },
  { id: 'panel.edit', label: 'Edit the source value', group: 'Panel and help', keys: ['F2'], run: (editor) => editor.openPanel('source') },
  { id: 'panel.toggle', label: 'Show or hide the evidence panel', group: 'Panel and help', keys: [], run: (editor) => editor.prefer({ panelOpen: !editor.store.getState().preferences.panelOpen }) },
  { id: 'area.next', label: 'Next part of the editor', group: 'Panel and help', keys: ['F6'], run: (editor) => editor.nextArea(false) },
  { id: 'area.previous', label: 'Former part of the editor', group: 'Panel and help', keys: ['Shift+F6'], run: (editor) => editor.nextArea(true) },
  { id: 'help', label: 'Keys and signs', group: 'Panel and help', keys: ['?'], run: (editor) => editor.show('help') },
  { id: 'items.add', label: 'Add items…', group: 'Items and run', keys: [], run: (editor) => editor.show('add') },
  { id: 'run', label: 'Run', group: 'Items and run', keys: [], run: (editor) => editor.run(), isEnabled: ({ session }) => session.items.length > 0 },
];

/** Commands whose keys work in the whole editor, wherever no text is being typed. */
export const worksEverywhere = (action: Action): boolean => action.group === 'History' || action.id === 'help' || action.id.startsWith('area.');

const actionsByChord = new Map(ACTIONS.flatMap((action) => action.keys.map((chord) => [chord, action] as const)));
const actionsById = new Map(ACTIONS.map((action) => [action.id, action]));

export const actionFor = (chord: string): Action | undefined => actionsByChord.get(chord);

export function actionById(id: string): Action {
  const action = actionsById.get(id);
  if (action === undefined) throw new Error(`no such action: ${id}`);
  return action;
}
