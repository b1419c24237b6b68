/** Where the desktop's menu shows a command of the matrix editor. */
export type MenuName = 'edit' | 'view' | 'item' | 'go' | 'help';

/**
 * Commands of the matrix editor that the desktop's menu offers too, section by section. The page
 * owns the keys and what they do; the menu shows them. A chord is named only where it means nothing
 * to a text field: no single letter, no Delete.
 */
export const EDITOR_COMMANDS = [
  { id: 'fill.down', label: 'Fill down', menu: 'edit', section: 1, chord: 'Mod+D' },
  { id: 'fill.right', label: 'Fill right', menu: 'edit', section: 1, chord: 'Mod+R' },
  { id: 'record.clear', label: 'Clear to unrecorded', menu: 'edit', section: 1, chord: null },
  { id: 'find', label: 'Find…', menu: 'edit', section: 2, chord: 'Mod+F' },
  { id: 'find.next', label: 'Next match', menu: 'edit', section: 2, chord: 'F3' },
  { id: 'find.previous', label: 'Previous match', menu: 'edit', section: 2, chord: 'Shift+F3' },
  {
    id: 'panel.toggle',
    label: 'Show or hide the evidence panel',
    menu: 'view',
    section: 1,
    chord: null,
  },
  { id: 'area.next', label: 'Next part of the editor', menu: 'view', section: 1, chord: 'F6' },
  { id: 'items.add', label: 'Add items…', menu: 'item', section: 1, chord: null },
  { id: 'record.false', label: 'FALSE: evidence present', menu: 'item', section: 2, chord: null },
  { id: 'record.true', label: 'TRUE: problem found', menu: 'item', section: 2, chord: null },
  { id: 'record.na', label: 'NA: not available', menu: 'item', section: 2, chord: null },
  { id: 'file.import', label: 'Import a file…', menu: 'item', section: 3, chord: null },
  { id: 'file.export', label: 'Export…', menu: 'item', section: 3, chord: null },
  { id: 'run', label: 'Run', menu: 'item', section: 3, chord: null },
  { id: 'go.item', label: 'Go to item…', menu: 'go', section: 1, chord: 'Mod+G' },
  { id: 'go.rule', label: 'Go to rule…', menu: 'go', section: 1, chord: 'Mod+Shift+G' },
  { id: 'move.unrecorded', label: 'Next unrecorded cell', menu: 'go', section: 1, chord: null },
  { id: 'palette', label: 'All commands…', menu: 'help', section: 1, chord: 'Mod+K' },
  { id: 'tour', label: 'Take the tour', menu: 'help', section: 1, chord: null },
  { id: 'help', label: 'Keyboard shortcuts', menu: 'help', section: 1, chord: 'F1' },
] as const satisfies readonly {
  id: string;
  label: string;
  menu: MenuName;
  section: number;
  chord: string | null;
}[];

export type EditorCommandId = (typeof EDITOR_COMMANDS)[number]['id'];
export const EDITOR_COMMAND_IDS = EDITOR_COMMANDS.map(({ id }) => id);
