import type { CellAddress } from '../../../data/store/port.ts';
import { fieldKeyOf } from '../model/fields.ts';
import type { Editor } from './editor.ts';
import {
  type Block,
  contains,
  cornerOf,
  covers,
  extendTo,
  isSelected,
  type Rect,
  rectOf,
  rectsOf,
  sameCell,
  type Selection,
  selectionOf,
  single,
  sizeOfAll,
  subtract,
} from '../model/selection.ts';

/**
 * `only` this, `extend` the active block to it, or `add` it as a block of its own (and take it away
 * where it is selected already).
 */
export type Way = 'only' | 'extend' | 'add';

const present = (editor: Editor): Selection | null => editor.store.getState().selection;

/** The blocks so far, which a new one joins. */
const blocks = (selection: Selection | null): Block[] =>
  selection === null
    ? []
    : [...selection.extra, { anchor: selection.anchor, focus: cornerOf(selection) }];

/** The selection without these cells; null where they are not all selected, or are all that is. */
function without(editor: Editor, hole: Rect): Selection | null {
  const { selection, view } = editor.store.getState();
  const rects = rectsOf(selection, view);
  return covers(rects, hole)
    ? selectionOf(
        rects.flatMap((rect) => subtract(rect, hole)),
        view,
        selection?.focus,
      )
    : null;
}

/**
 * By pointer: the focus goes to the cell. True where the cell was taken away, and the focus is
 * on another.
 */
export function selectCell(editor: Editor, cell: CellAddress, way: Way): boolean {
  const { selection, view } = editor.store.getState();
  const [row, column] = [view.rowOf(cell.item), view.columnOf(cell.rule)];
  const isField = (rule: string | undefined): boolean => fieldKeyOf(rule ?? '') !== undefined;
  const isOther = selection !== null && isField(cell.rule) !== isField(selection.anchor.rule);
  if (isField(cell.rule) || isOther) {
    // A block is of outcomes or of fields, never of both, and fields are one block.
    if (way === 'extend' && selection !== null) {
      if (!isOther) editor.select(extendTo(selection, cell, view), { reveal: false, focus: false });
    } else editor.select(single(cell), { reveal: false, focus: false });
    return false;
  }
  if (way === 'add' && isSelected(rectsOf(selection, view), row, column)) {
    const rest = without(editor, { top: row, bottom: row, left: column, right: column });
    if (rest !== null) editor.select(rest, { reveal: false });
    return true;
  }
  editor.select(
    way === 'extend' && selection !== null
      ? extendTo(selection, cell, view)
      : { ...single(cell), extra: way === 'add' ? blocks(selection) : [] },
    { reveal: false, focus: false },
  );
  return false;
}

/** The corners of a block, and its cell that has the focus. */
interface Whole {
  anchor: CellAddress;
  corner: CellAddress;
  active: CellAddress;
}

function selectBlock(
  editor: Editor,
  { anchor, corner, active }: Whole,
  way: Way,
  focus: boolean,
): boolean {
  const { view } = editor.store.getState();
  const block = { anchor, ...(sameCell(corner, active) ? {} : { corner }), focus: active };
  const rect = rectOf({ ...block, extra: [] }, view);
  const rest = way === 'add' && rect !== null ? without(editor, rect) : null;
  const extra =
    way === 'add'
      ? blocks(present(editor))
      : way === 'extend'
        ? (present(editor)?.extra ?? [])
        : [];
  editor.select(rest ?? { ...block, extra }, { reveal: false, focus });
  return rest !== null;
}

/** A whole column of the rows shown. The focus stays on its heading. */
export function selectRule(editor: Editor, rule: string, way: Way): void {
  const { view, selection } = editor.store.getState();
  if (view.rowCount === 0) return;
  const from = way === 'extend' && selection !== null ? selection.anchor.rule : rule;
  selectBlock(
    editor,
    {
      anchor: { item: view.itemAt(view.rowCount - 1), rule: from },
      corner: { item: view.itemAt(0), rule },
      active: { item: view.itemAt(0), rule: from },
    },
    way,
    false,
  );
}

/** A whole row. True where it was taken away. */
export function selectItem(editor: Editor, item: string, way: Way, focus: boolean): boolean {
  const { view, selection } = editor.store.getState();
  if (view.columnCount === 0) return false;
  const from = way === 'extend' && selection !== null ? selection.anchor.item : item;
  return selectBlock(
    editor,
    {
      anchor: { item: from, rule: view.ruleAt(view.columnCount - 1) },
      corner: { item, rule: view.ruleAt(0) },
      active: { item: from, rule: view.ruleAt(0) },
    },
    way,
    focus,
  );
}

/** Widens every block to whole rows or whole columns; the focus stays on its cell. */
export function widen(editor: Editor, to: 'items' | 'rules'): void {
  const { selection, view } = editor.store.getState();
  const whole =
    to === 'items'
      ? { left: 0, right: view.columnCount - 1 }
      : { top: 0, bottom: view.rowCount - 1 };
  editor.select(
    selectionOf(
      rectsOf(selection, view).map((rect) => ({ ...rect, ...whole })),
      view,
      selection?.focus,
    ),
    { reveal: false },
  );
}

/**
 * Tab and Enter go round inside the blocks, one block after the other. False where one cell is
 * selected, and they go about the matrix.
 */
export function goRound(editor: Editor, along: 'row' | 'column', backwards: boolean): boolean {
  const { selection, view } = editor.store.getState();
  const [active, ...others] = rectsOf(selection, view);
  if (selection === null || active === undefined || sizeOfAll([active, ...others]) < 2)
    return false;
  const at = {
    row: view.rowOf(selection.focus.item) - active.top,
    column: view.columnOf(selection.focus.rule) - active.left,
  };
  const [height, width] = [active.bottom - active.top + 1, active.right - active.left + 1];
  const place =
    (along === 'row' ? at.row * width + at.column : at.column * height + at.row) +
    (backwards ? -1 : 1);
  const stays = others.length === 0 || (place >= 0 && place < height * width);
  const rects = stays
    ? [active, ...others]
    : backwards
      ? [others.at(-1)!, active, ...others.slice(0, -1)]
      : [...others, active];
  const { top, left, bottom, right } = rects[0]!;
  const size = (bottom - top + 1) * (right - left + 1);
  const to = stays ? (place + size) % size : backwards ? size - 1 : 0;
  const [row, column] =
    along === 'row'
      ? [Math.floor(to / (right - left + 1)), to % (right - left + 1)]
      : [to % (bottom - top + 1), Math.floor(to / (bottom - top + 1))];
  editor.select(
    selectionOf(rects, view, { item: view.itemAt(top + row), rule: view.ruleAt(left + column) }),
  );
  return true;
}

/**
 * What a menu is opened on is what it acts on: the selection, with the focus on the cell meant, or
 * else that cell, item or rule alone.
 */
export function aimAt(
  editor: Editor,
  target: { cell: CellAddress } | { item: string } | { rule: string },
): void {
  const { selection, view } = editor.store.getState();
  const rects = rectsOf(selection, view);
  const last = { row: view.rowCount - 1, column: view.columnCount - 1 };
  if ('cell' in target) {
    const [row, column] = [view.rowOf(target.cell.item), view.columnOf(target.cell.rule)];
    const at = rects.findIndex((rect) => contains(rect, row, column));
    editor.select(
      at < 0
        ? single(target.cell)
        : selectionOf([rects[at]!, ...rects.toSpliced(at, 1)], view, target.cell),
      { reveal: false },
    );
  } else if ('item' in target) {
    const row = view.rowOf(target.item);
    if (!covers(rects, { top: row, bottom: row, left: 0, right: last.column }))
      selectItem(editor, target.item, 'only', true);
    else editor.focusGrid();
  } else {
    const column = view.columnOf(target.rule);
    if (!covers(rects, { top: 0, bottom: last.row, left: column, right: column }))
      selectRule(editor, target.rule, 'only');
  }
}
