import { fieldText, memberOf } from '../model/fields.ts';
import { fieldRectOf } from '../model/selection.ts';
import type { Editor } from './editor.ts';
import type { FieldEntry } from './field-change.ts';

/** The fields of the selected block, row by row, with what stands in them. */
export function selectedFields({ session, store }: Editor): FieldEntry[] {
  const { selection, view } = store.getState();
  const rect = fieldRectOf(selection, view);
  if (rect === null) return [];
  const entries: FieldEntry[] = [];
  for (let row = rect.top; row <= rect.bottom; row += 1)
    for (const { key, type } of view.fields.slice(rect.left, rect.right + 1)) {
      const item = view.itemAt(row);
      const text = fieldText(memberOf(session.items[session.rowOf(item)]?.metadata, key));
      entries.push({ item, key, type, text });
    }
  return entries;
}
