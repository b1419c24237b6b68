import type { ItemEdit, MatrixSession } from '../../../data/store/port.ts';
import { fieldText, memberOf, readField } from '../model/fields.ts';
import { itemName } from '../model/names.ts';
import type { Editor } from './editor.ts';
import { notify } from './editor-state.ts';
import type { FieldChange, FieldEntry } from './field-change.ts';
import { t } from '../../../text/t.ts';

/** What entries would change, in their order; those that say what is there are left out. */
export function planFields(
  session: Pick<MatrixSession, 'items' | 'rowOf'>,
  entries: Iterable<FieldEntry>,
): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const entry of entries) {
    const before = fieldText(
      memberOf(session.items[session.rowOf(entry.item)]?.metadata, entry.key),
    );
    if (entry.text === before) continue;
    const read = readField(entry.type, entry.text);
    const problem = 'problem' in read ? read.problem : undefined;
    if (problem === undefined && 'value' in read && fieldText(read.value) === before) continue;
    changes.push({ ...entry, before, problem });
  }
  return changes;
}

/** Each item's metadata once, with all that changes in it; what cannot be kept is left out. */
export function fieldEdits(
  session: Pick<MatrixSession, 'items' | 'rowOf'>,
  changes: readonly FieldChange[],
): ItemEdit[] {
  const byItem = new Map<string, Record<string, unknown>>();
  for (const { item, key, type, text } of changes) {
    const read = readField(type, text);
    const row = session.items[session.rowOf(item)];
    if ('problem' in read || row === undefined) continue;
    const metadata = byItem.get(item) ?? { ...row.metadata };
    if (read.value === undefined) delete metadata[key];
    else metadata[key] = read.value;
    byItem.set(item, metadata);
  }
  return [...byItem].map(([item_uid, metadata]) => ({ do: 'set', item_uid, metadata }));
}

/** One undo step. False where nothing was stored, which is shown. */
export async function applyFields(
  editor: Editor,
  label: string,
  changes: readonly FieldChange[],
): Promise<boolean> {
  const items = fieldEdits(editor.session, changes);
  if (items.length === 0) return false;
  return (await editor.apply({ label, items })) !== undefined;
}

/** Stores one field; the answer is why it could not be kept, which is said too. */
export function setField(editor: Editor, entry: FieldEntry): string | undefined {
  const { session, store, announce } = editor;
  const [change] = planFields(session, [entry]);
  if (change === undefined) return undefined;
  if (change.problem !== undefined) {
    notify(store, `${entry.key}: ${change.problem}`, 'problem');
    return change.problem;
  }
  const name = itemName(session, entry.item);
  void applyFields(editor, t('Set {key} of {name}', { key: entry.key, name }), [change]).then(
    (isDone) => {
      if (isDone) announce(`${name}, ${entry.key}: ${entry.text.trim() || t('empty')}`);
    },
  );
  return undefined;
}

/** Empties these fields in one undo step. */
export async function clearFields(editor: Editor, entries: readonly FieldEntry[]): Promise<void> {
  const changes = planFields(editor.session, entries);
  if (changes.length === 0) return;
  const values = { fields: changes.length };
  const label = t('Clear {fields, plural, one {# field} other {# fields}}', values);
  if (await applyFields(editor, label, changes))
    notify(
      editor.store,
      t('{fields, plural, one {# field} other {# fields}} cleared.', values),
      'plain',
      true,
    );
}
