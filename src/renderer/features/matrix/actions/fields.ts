import type { EditorAction } from '../editor/action.ts';
import type { Editor } from '../editor/editor.ts';
import { selectedFields } from '../editor/field-selection.ts';
import { clearFields } from '../editor/fields.ts';
import { withField } from '../model/filter.ts';
import { t } from '../../../text/t.ts';

const isInFields = (editor: Editor): boolean => selectedFields(editor).length > 0;

export const fieldsActions: readonly EditorAction[] = [
  {
    id: 'field.edit',
    label: t('Edit the field'),
    group: 'Items',
    writes: true,
    keys: [],
    menu: { field: 1 },
    run: (editor) => editor.editField(),
    isEnabled: isInFields,
  },
  {
    id: 'field.clear',
    label: t('Clear the fields'),
    group: 'Items',
    writes: true,
    keys: [],
    menu: { field: 1 },
    run: (editor) =>
      void clearFields(
        editor,
        selectedFields(editor).map((entry) => ({ ...entry, text: '' })),
      ),
    isEnabled: isInFields,
  },
  {
    id: 'field.filter',
    label: t('Show only items with this value of the field'),
    group: 'Find',
    keys: [],
    menu: { field: 5 },
    run: (editor) => {
      const [entry] = selectedFields(editor);
      if (entry === undefined) return;
      const { filter } = editor.store.getState();
      const op = entry.text === '' ? 'empty' : 'is';
      editor.setFilter(withField(filter, { key: entry.key, op, value: entry.text }));
    },
    isEnabled: isInFields,
  },
];
