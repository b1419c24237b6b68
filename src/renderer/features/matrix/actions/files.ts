import type { Editor } from '../editor/editor.ts';
import { type EditorAction, hasItems } from '../editor/action.ts';
import { t, tAs } from '../../../text/t.ts';

/**
 * The rows and columns on screen as the session counts them, in their order; undefined where that
 * is all of them in the case's order.
 */
export function shownPart({
  session,
  store,
}: Editor): { rows: number[]; columns: number[] } | undefined {
  const { view } = store.getState();
  const rows = Array.from({ length: view.rowCount }, (_, row) => view.storeRow(row));
  const columns = Array.from({ length: view.columnCount }, (_, column) => view.storeColumn(column));
  const isAll =
    rows.length === session.items.length &&
    columns.length === session.rules.length &&
    rows.every((row, at) => row === at) &&
    columns.every((column, at) => column === at);
  return isAll ? undefined : { rows, columns };
}

const takesFiles = (editor: Editor): boolean => editor.onFiles !== undefined;

export const filesActions: readonly EditorAction[] = [
  {
    id: 'file.import',
    label: t('Import a file…'),
    group: 'Files and runs',
    writes: true,
    keys: [],
    run: (editor) => editor.onFiles?.({ do: 'import' }),
    isEnabled: takesFiles,
  },
  {
    id: 'file.export',
    label: t('Export…'),
    group: 'Files and runs',
    keys: [],
    run: (editor) => editor.onFiles?.({ do: 'export', shown: shownPart(editor) }),
    isEnabled: (editor) => takesFiles(editor) && hasItems(editor),
  },
  {
    id: 'file.history',
    label: t('Save the history…'),
    group: 'Files and runs',
    keys: [],
    run: (editor) => editor.onFiles?.({ do: 'history' }),
    isEnabled: takesFiles,
  },
  {
    id: 'run',
    label: tAs('verb', 'Run'),
    group: 'Files and runs',
    writes: true,
    keys: [],
    run: (editor) => editor.run(),
    isEnabled: hasItems,
  },
];
