import type { CellAddress } from '../../../data/store/port.ts';
import type { Editor } from '../editor/editor.ts';
import { selectCell, selectItem, selectRule, type Way } from '../editor/selecting.ts';
import { isMac } from '../actions/key-hint.ts';
import type { Dragging } from './dragging.ts';
import { fieldCellOf } from './field-cell.ts';
import { isFieldInput, startFieldEdit } from './field-edit.ts';
import { drawHandle, followNeighbour, isHandle } from './fill-handle.ts';
import { rowHeadingOf } from './row-cells.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingOf } from './rule-heading.ts';

/** Shift extends the active block, whatever else is held down. On a Mac Cmd adds. */
const wayOf = (event: PointerEvent): Way =>
  event.shiftKey ? 'extend' : (isMac() ? event.metaKey : event.ctrlKey) ? 'add' : 'only';

/** Ctrl+click opens a menu on a Mac. */
const isMenuPress = (event: PointerEvent): boolean =>
  event.button === 2 || (isMac() && event.button === 0 && event.ctrlKey);

/** Heads of columns hold what widens them and opens their menus. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('button, .mx-rule-grip, .ag-header-cell-resize') !== null;

/** The cell of a rule, or the field of an item. */
const cellOf = (target: EventTarget | null): CellAddress | undefined =>
  ruleCellOf(target) ?? fieldCellOf(target);

/** Presses and drags on cells, row headings and column headings. */
function createPresses(
  editor: Editor,
  dragging: Dragging,
): (event: PointerEvent) => { placed: boolean; stop: boolean } {
  const focusSelection = (): void => {
    const { selection } = editor.store.getState();
    if (selection !== null) editor.select(selection, { reveal: false });
  };
  const drag = (
    event: PointerEvent,
    across: boolean,
    follow: (under: Element | null) => void,
  ): void => dragging.start(event, { across, follow, end: focusSelection, cancel: focusSelection });
  return (event) => {
    const way = wayOf(event);
    const cell = cellOf(event.target);
    const item = rowHeadingOf(event.target);
    const heading = headingOf(event.target);
    if (cell !== undefined) {
      if (selectCell(editor, cell, way)) return { placed: true, stop: true };
      drag(event, true, (under) => {
        const to = cellOf(under);
        if (to !== undefined) selectCell(editor, to, 'extend');
      });
      // The focus stays where the block began, and is not where the pointer is.
      if (way === 'extend') focusSelection();
      return { placed: way === 'extend', stop: way === 'extend' };
    }
    if (item !== undefined) {
      if (!selectItem(editor, item, way, true))
        drag(event, false, (under) => {
          const to = rowHeadingOf(under) ?? ruleCellOf(under)?.item;
          if (to !== undefined) selectItem(editor, to, 'extend', false);
        });
      return { placed: true, stop: false };
    }
    if (heading !== undefined && !isControl(event.target)) {
      selectRule(editor, heading.rule, way);
      heading.element.focus({ preventScroll: true });
    }
    return { placed: false, stop: false };
  };
}

/**
 * Drag, clicks with Shift, Ctrl or Cmd, and clicks on headings. The grid only learns where the
 * focus is.
 */
export function listenToPointer(host: HTMLElement, editor: Editor, dragging: Dragging): () => void {
  /**
   * The press under way has put the focus where it belongs; the grid is not to put it on what was
   * pressed.
   */
  let placed = false;
  const press = createPresses(editor, dragging);
  const onDown = (event: PointerEvent): void => {
    placed = false;
    if (isFieldInput(event.target)) return;
    placed = isMenuPress(event);
    // The menu aims itself; the grid is not to move the focus before.
    if (placed) event.stopPropagation();
    if (placed || event.button !== 0) return;
    if (isHandle(event.target)) {
      placed = true;
      event.stopPropagation();
      drawHandle(editor, dragging, event);
      return;
    }
    const done = press(event);
    placed = done.placed;
    if (done.stop) event.stopPropagation();
  };
  const onMouseDown = (event: MouseEvent): void => {
    if (!placed) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDoubleClick = (event: MouseEvent): void => {
    if (isHandle(event.target)) followNeighbour(editor);
    else if (ruleCellOf(event.target) !== undefined) editor.openPanel('source');
    else if (event.target instanceof Element) startFieldEdit(editor, event.target);
  };
  host.addEventListener('pointerdown', onDown, { capture: true });
  host.addEventListener('mousedown', onMouseDown, { capture: true });
  host.addEventListener('dblclick', onDoubleClick);
  return () => {
    host.removeEventListener('pointerdown', onDown, { capture: true });
    host.removeEventListener('mousedown', onMouseDown, { capture: true });
    host.removeEventListener('dblclick', onDoubleClick);
  };
}
