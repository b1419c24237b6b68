import { type EditorAction, hasCell, hasSelection } from '../editor/action.ts';
import { notify } from '../editor/editor-state.ts';
import type { Editor } from '../editor/editor.ts';
import { t } from '../../../text/t.ts';

function toggleReasons({ store, prefer }: Editor): void {
  const askReason = !store.getState().preferences.askReason;
  prefer({ askReason });
  notify(
    store,
    askReason
      ? t('A reason is asked for before a recorded outcome changes.')
      : t('No reason is asked for.'),
  );
}

export const viewActions: readonly EditorAction[] = [
  {
    id: 'panel.open',
    label: t('Show the evidence panel'),
    group: 'View',
    keys: ['Space'],
    run: (editor) => editor.openPanel(),
  },
  {
    id: 'panel.edit',
    label: t('Edit the reported value'),
    group: 'View',
    writes: true,
    keys: ['F2'],
    menu: { cell: 4 },
    run: (editor) => editor.openPanel('source'),
  },
  {
    id: 'panel.applySource',
    label: t('Apply the source to the selection…'),
    group: 'View',
    writes: true,
    keys: [],
    menu: { cell: 4 },
    run: (editor) => editor.show('apply-source'),
    isEnabled: hasCell,
  },
  {
    id: 'record.reason',
    label: t('Ask why before a recorded outcome changes, on or off'),
    group: 'View',
    writes: true,
    keys: [],
    run: toggleReasons,
  },
  {
    id: 'panel.notes',
    label: t('Add or edit notes'),
    group: 'View',
    writes: true,
    keys: ['Mod+F2'],
    menu: { cell: 4 },
    run: (editor) => editor.openPanel('notes'),
  },
  {
    id: 'panel.history',
    label: t('Show the history'),
    group: 'View',
    keys: [],
    menu: { cell: 4 },
    run: (editor) => editor.openPanel('history'),
  },
  {
    id: 'menu.open',
    label: t('Open the menu of the cell, item or rule'),
    group: 'View',
    keys: ['Shift+F10', 'ContextMenu', 'Alt+ArrowDown'],
    run: (editor) => editor.openMenu(),
    isEnabled: hasSelection,
  },
  {
    id: 'panel.toggle',
    label: t('Show or hide the evidence panel'),
    group: 'View',
    keys: [],
    run: (editor) => editor.prefer({ panelOpen: !editor.store.getState().preferences.panelOpen }),
  },
  {
    id: 'area.next',
    label: t('Next part of the editor'),
    group: 'View',
    keys: ['F6'],
    scope: 'editor',
    inText: true,
    run: (editor) => editor.nextArea(false),
  },
  {
    id: 'area.previous',
    label: t('Previous part of the editor'),
    group: 'View',
    keys: ['Shift+F6'],
    scope: 'editor',
    inText: true,
    run: (editor) => editor.nextArea(true),
  },
];
