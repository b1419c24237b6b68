import type { Editor } from '../editor/editor.ts';
import { type EditorAction, hasItems } from '../editor/action.ts';
import { t, tAs } from '../../../text/t.ts';

/**
 * The items and rules on screen, in their order; undefined where that is all of them in the case's
 * order.
 */
export function shownPart({
  session,
  store,
}: Editor): { items: string[]; rules: string[] } | undefined {
  const { view } = store.getState();
  const items = Array.from({ length: view.rowCount }, (_, row) => view.itemAt(row));
  const rules = Array.from({ length: view.columnCount }, (_, column) => view.ruleAt(column));
  const isAll =
    items.length === session.items.length &&
    rules.length === session.rules.length &&
    items.every((item, at) => item === session.items[at]?.item_uid) &&
    rules.every((rule, at) => rule === session.rules[at]);
  return isAll ? undefined : { items, rules };
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
