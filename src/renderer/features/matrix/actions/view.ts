import type { Action } from './action.ts';

export const viewActions: readonly Action[] = [
  { id: 'panel.open', label: 'Show the evidence panel', group: 'View', keys: ['Space'], menu: { cell: 4 }, run: (editor) => editor.openPanel() },
  { id: 'panel.edit', label: 'Edit the source value', group: 'View', keys: ['F2'], menu: { cell: 4 }, run: (editor) => editor.openPanel('source') },
  { id: 'panel.toggle', label: 'Show or hide the evidence panel', group: 'View', keys: [], run: (editor) => editor.prefer({ panelOpen: !editor.store.getState().preferences.panelOpen }) },
  { id: 'area.next', label: 'Next part of the editor', group: 'View', keys: ['F6'], scope: 'editor', inText: true, run: (editor) => editor.nextArea(false) },
  { id: 'area.previous', label: 'Former part of the editor', group: 'View', keys: ['Shift+F6'], scope: 'editor', inText: true, run: (editor) => editor.nextArea(true) },
];
