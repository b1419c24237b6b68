import { itemName } from '../model/names.ts';
import type { Edit, ItemEdit } from '../../../data/store/port.ts';
import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import { carryOver, fieldRectOf, rectsOf, sameSelection, single } from '../model/selection.ts';
import type { View } from '../model/view.ts';
import { t } from '../../../text/t.ts';

/** The items of every selected block, in the order of the rows on screen. */
export function selectedItems({ store }: Editor): string[] {
  const { selection, view } = store.getState();
  const rows = new Set<number>();
  const fields = fieldRectOf(selection, view);
  for (const { top, bottom } of fields === null ? rectsOf(selection, view) : [fields])
    for (let row = top; row <= bottom; row += 1) rows.add(row);
  return [...rows].sort((a, b) => a - b).map((row) => view.itemAt(row));
}

export const hasSelectedItems = (editor: Editor): boolean =>
  editor.store.getState().selection !== null && editor.session.items.length > 0;

/**
 * Rows stand in the case's order, if perhaps not all of them. Only then does "before" mean the same
 * here and in the case.
 */
export function isInCaseOrder(view: View): boolean {
  for (let row = 1; row < view.rowCount; row += 1)
    if (view.storeRow(row - 1) > view.storeRow(row)) return false;
  return true;
}

/** Values of a message that names one item and counts several. */
export const itemsAsValues = (
  { session }: Editor,
  uids: readonly string[],
): { count: number; name: string } => ({
  count: uids.length,
  name: uids.length === 1 ? itemName(session, uids[0] ?? '') : '',
});

/** One undo step. False where it was refused, which is shown. */
export async function applyRows(editor: Editor, edit: Edit, done: string): Promise<boolean> {
  if ((await editor.apply(edit)) === undefined) return false;
  if (done !== '') editor.announce(done);
  return true;
}

/** Moves rows before another one (null: to the end). The selection goes with its items. */
export async function moveItems(
  editor: Editor,
  uids: readonly string[],
  before: string | null,
): Promise<boolean> {
  const { store } = editor;
  if (uids.length === 0) return false;
  const values = itemsAsValues(editor, uids);
  const hasGone = editor.watchFocus();
  const done = await applyRows(
    editor,
    {
      label: t('{count, plural, =1 {Move {name}} other {Move # items}}', values),
      items: [{ do: 'move', item_uids: uids, before }],
    },
    '',
  );
  const { selection } = store.getState();
  if (done && selection !== null && !hasGone()) editor.select(selection);
  if (done) editor.announce(movedWords(editor, uids, before));
  return done;
}

function movedWords(editor: Editor, uids: readonly string[], before: string | null): string {
  const { session } = editor;
  const { count, name } = itemsAsValues(editor, uids);
  if (count === 1)
    return t('{name} is now item {row, number}', { name, row: session.rowOf(uids[0] ?? '') + 1 });
  return before === null
    ? t('{count, plural, one {# item} other {# items}} moved to the end', { count })
    : t('{count, plural, one {# item} other {# items}} moved to before {item}', {
        count,
        item: itemName(session, before),
      });
}

const ONLY_IN_ORDER = t('Items are moved in the order of the case. Clear the sorting first.');

/** Moves the selected items one row of those shown. */
export function nudgeItems(editor: Editor, down: boolean): Promise<boolean> {
  const { session, store } = editor;
  const { view } = store.getState();
  const uids = selectedItems(editor);
  if (uids.length === 0) return Promise.resolve(false);
  if (!isInCaseOrder(view)) {
    notify(editor.store, ONLY_IN_ORDER);
    return Promise.resolve(false);
  }
  const edge = view.rowOf(uids.at(down ? -1 : 0) ?? '') + (down ? 1 : -1);
  if (edge < 0 || edge >= view.rowCount) {
    editor.announce(down ? t('Already last') : t('Already first'));
    return Promise.resolve(false);
  }
  const before = down
    ? (session.items[view.storeRow(edge) + 1]?.item_uid ?? null)
    : view.itemAt(edge);
  return moveItems(editor, uids, before);
}

export function askToMove(editor: Editor): void {
  if (isInCaseOrder(editor.store.getState().view)) editor.show('items-move');
  else notify(editor.store, ONLY_IN_ORDER);
}

export interface Removal {
  uids: readonly string[];
  /** Cells with an outcome, a source, notes or provenance. */
  cells: number;
}

/** What removing these items would take out of sight. */
export function removalOf({ session }: Editor, uids: readonly string[]): Removal {
  let cells = 0;
  for (const uid of uids) {
    const row = session.rowOf(uid);
    for (let column = 0; column < session.rules.length; column += 1) {
      const { source_value, notes, provenance } = session.detail(row, column);
      if (
        session.state(row, column) !== null ||
        source_value !== null ||
        notes !== null ||
        provenance !== null
      )
        cells += 1;
    }
  }
  return { uids, cells };
}

/** Removes rows and leads to what comes in place of the first, unless the person has gone on. */
export async function removeItems(editor: Editor, { uids, cells }: Removal): Promise<void> {
  const { view, selection: from } = editor.store.getState();
  const hasGone = editor.watchFocus();
  const values = { ...itemsAsValues(editor, uids), cells };
  const first = Math.min(...uids.slice(0, 1).map((uid) => view.rowOf(uid)));
  const done = await applyRows(
    editor,
    {
      label: t('{count, plural, =1 {Remove {name}} other {Remove # items}}', values),
      items: uids.map((item_uid): ItemEdit => ({ do: 'remove', item_uid })),
    },
    '',
  );
  if (!done) return;
  notify(
    editor.store,
    cells === 0
      ? t(
          '{count, plural, =1 {{name} removed. Undo brings it back} other {# items removed. Undo brings them back}}; so does the list of removed items.',
          values,
        )
      : t(
          '{count, plural, =1 {{name}} other {# items}} removed with {cells, plural, one {# cell} other {# cells}}. Undo brings {count, plural, =1 {it} other {them}} back; so does the list of removed items.',
          values,
        ),
  );
  const { view: after, selection } = editor.store.getState();
  const hasMoved = hasGone() || !sameSelection(selection, carryOver(from, view, after));
  if (after.rowCount > 0 && first >= 0 && !hasMoved)
    editor.select(
      single({
        item: after.itemAt(Math.min(first, after.rowCount - 1)),
        rule: selection?.focus.rule ?? after.ruleAt(0),
      }),
    );
}

/** Removes the selected items; asks first only where something is on record of them. */
export function askToRemove(editor: Editor): void {
  const uids = selectedItems(editor);
  if (uids.length === 0) return;
  const removal = removalOf(editor, uids);
  if (removal.cells === 0) void removeItems(editor, removal);
  else editor.show('items-remove');
}

/** Where new rows go. */
export type InsertPlace = 'end' | 'before';

/** The first selected item, where rows can be put before it. */
export function firstSelected(editor: Editor): string | undefined {
  return isInCaseOrder(editor.store.getState().view) ? selectedItems(editor)[0] : undefined;
}
