import { type EditorAction, press } from '../actions/actions.ts';
import { isRefused } from '../editor/action.ts';
import { notify } from '../editor/editor-state.ts';
import type { Editor } from '../editor/editor.ts';
import { clearFields } from '../editor/fields.ts';
import { selectedFields } from '../editor/field-selection.ts';
import { startFieldEdit } from './field-edit.ts';
import { t } from '../../../text/t.ts';

/** Commands of outcomes, which mean nothing in a field. */
const OF_OUTCOMES = new Set(['Record', 'Fill', 'Rules']);
const OF_PANEL = new Set(['panel.edit', 'panel.notes', 'panel.history', 'panel.applySource']);

const isSign = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  [...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;

/** Keys in a field: a letter begins to type it. True where the key is used up. */
export function pressInField(
  editor: Editor,
  event: KeyboardEvent,
  chord: string,
  action: EditorAction | undefined,
): boolean {
  const cell = event.target;
  if (!(cell instanceof Element)) return false;
  if (chord === 'F2') return startFieldEdit(editor, cell);
  if (isSign(event)) return startFieldEdit(editor, cell, event.key);
  if (chord === 'Delete' || chord === 'Backspace' || chord === 'Shift+Delete') {
    if (!isRefused(editor))
      void clearFields(
        editor,
        selectedFields(editor).map((entry) => ({ ...entry, text: '' })),
      );
    return true;
  }
  if (action === undefined) return false;
  if (OF_OUTCOMES.has(action.group) || OF_PANEL.has(action.id)) {
    notify(editor.store, t('This is a field of the item: type a value, or press F2 to change it.'));
    return true;
  }
  return press(action, editor);
}
