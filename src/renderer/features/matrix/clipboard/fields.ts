import { protectText, unprotectText } from '../../../../shared/lib/spreadsheet-text.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import type { FieldChange, FieldEntry } from '../editor/field-change.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import { applyFields, planFields } from '../editor/fields.ts';
import { type FieldColumn, fieldText, memberOf } from '../model/fields.ts';
import { ABSENT, type PastedTable, wordAt } from '../model/pasted-table.ts';
import { fieldRectOf, type Rect } from '../model/selection.ts';
import type { View } from '../model/view.ts';
import { type Copied, quote, textCell } from './copy.ts';
import { createItemIndex, ITEM_HEADING, LABEL_HEADING } from './keys.ts';
import { t } from '../../../text/t.ts';

/**
 * A block of fields as spreadsheets read and write it; `names` adds items and the fields' names.
 */
export function copyFields(
  { top, left, bottom, right }: Rect,
  view: View,
  session: MatrixSession,
  names: boolean,
): Copied {
  const keys = view.fields.slice(left, right + 1).map(({ key }) => key);
  const lines: string[][] = names
    ? [[ITEM_HEADING, LABEL_HEADING, ...keys.map((key) => protectText(key))]]
    : [];
  for (let row = top; row <= bottom; row += 1) {
    const item = session.items[view.storeRow(row)];
    const texts = keys.map((key) => {
      const value = memberOf(item?.metadata, key);
      return typeof value === 'number' ? String(value) : protectText(fieldText(value));
    });
    lines.push([
      ...(names ? [protectText(item?.item_uid ?? ''), protectText(item?.label ?? '')] : []),
      ...texts,
    ]);
  }
  const text = lines.map((line) => line.map(quote).join('\t')).join('\n');
  return {
    text: lines.at(-1)?.join('') === '' && lines.at(-1)?.length === 1 ? `${text}\n` : text,
    html: `<meta charset="utf-8"><table><tr>${lines
      .map((line) => line.map(textCell).join(''))
      .join('</tr><tr>')}</tr></table>`,
    cells: (bottom - top + 1) * (right - left + 1),
    hiddenRows: 0,
    hiddenColumns: 0,
  };
}

export interface FieldPaste {
  changes: readonly FieldChange[];
  /** Values beyond the last item or field shown, or of items that the matrix has not. */
  outside: number;
}

/** The columns of a table whose first row names fields, and the one that names items. */
function namedColumns(
  table: PastedTable,
  fields: readonly FieldColumn[],
): { fields: Map<number, FieldColumn>; items: number } | undefined {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const found = new Map<number, FieldColumn>();
  let items = -1;
  for (let column = 0; column < table.columns; column += 1) {
    const word = unprotectText(wordAt(table, 0, column).trim());
    const field = byKey.get(word);
    if (field !== undefined) found.set(column, field);
    else if (word === ITEM_HEADING) items = column;
    else if (word !== LABEL_HEADING && word !== '') return undefined;
  }
  return found.size === 0 ? undefined : { fields: found, items };
}

/**
 * What a table would put into the fields from the first selected one on, or where its names say.
 * `now`: what is shown now, where that is no longer the view of the selected ones.
 */
export function planFieldPaste(
  table: PastedTable,
  rect: Rect,
  view: View,
  session: MatrixSession,
  now = view,
): FieldPaste {
  const entries: FieldEntry[] = [];
  let outside = 0;
  const add = (item: string, field: FieldColumn | undefined, word: string): void => {
    if (session.rowOf(item) < 0 || field === undefined) outside += word === '' ? 0 : 1;
    else entries.push({ ...field, item, text: unprotectText(word) });
  };
  const named = namedColumns(table, view.fields);
  const itemIndex = createItemIndex(session);
  const isValue = table.rows === 1 && table.columns === 1;
  if (named !== undefined)
    for (let line = 1; line < table.rows; line += 1) {
      const item =
        named.items < 0
          ? view.itemAt(rect.top + line - 1)
          : now.itemAt(now.displayRow(itemIndex(wordAt(table, line, named.items))));
      for (const [column, field] of named.fields) add(item, field, wordAt(table, line, column));
    }
  else {
    const rows = isValue ? rect.bottom - rect.top + 1 : table.rows;
    const columns = isValue ? rect.right - rect.left + 1 : table.columns;
    for (let line = 0; line < rows; line += 1)
      for (let column = 0; column < columns; column += 1) {
        const from = isValue ? 0 : line * table.columns + column;
        if (table.fields[from] === ABSENT) continue;
        const word = isValue ? wordAt(table, 0, 0) : wordAt(table, line, column);
        add(view.itemAt(rect.top + line), view.fields[rect.left + column], word);
      }
  }
  return { changes: planFields(session, entries), outside };
}

/** Fields that may be newly filled without being asked about. */
const UNASKED = 50;

const needsLook = ({ changes, outside }: FieldPaste): boolean =>
  outside > 0 ||
  changes.length > UNASKED ||
  changes.some(({ before, problem }) => before !== '' || problem !== undefined);

/** What a paste that was asked for there would do now; null where its fields are not shown. */
export function planFieldRequest(
  { table, selection, view }: PasteRequest,
  session: MatrixSession,
  now: View,
): FieldPaste | null {
  const rect = fieldRectOf(selection, view);
  return rect === null ? null : planFieldPaste(table, rect, view, session, now);
}

export function startFieldPaste(editor: Editor, request: PasteRequest): void {
  const paste = planFieldRequest(request, editor.session, editor.store.getState().view);
  if (paste === null) return;
  if (needsLook(paste)) editor.store.setState({ fieldPaste: request });
  else void commitFieldPaste(editor, paste.changes);
}

/** One undo step; what cannot be kept is left out. */
export async function commitFieldPaste(
  editor: Editor,
  changes: readonly FieldChange[],
): Promise<void> {
  const kept = changes.filter(({ problem }) => problem === undefined);
  if (kept.length === 0) {
    editor.announce(t('No change: the fields already say so'));
    return;
  }
  const values = { kept: kept.length };
  const label = t('Paste {kept, plural, one {# field} other {# fields}}', values);
  if (await applyFields(editor, label, kept))
    notify(
      editor.store,
      t('{kept, plural, one {# field} other {# fields}} pasted', values),
      'plain',
      true,
    );
}
