import type { Editor } from '../editor/editor.ts';
import { rectsOf } from '../model/selection.ts';
import { isInCaseOrder, moveItems, selectedItems } from '../rows/rows.ts';
import { rowHeadingOf } from './row-cells.ts';
import { createMovingRows } from './row-move.ts';
import { t } from '../../../text/t.ts';

/** Pixels from which a press is a drag. */
const FROM = 5;

const numberCellOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('.mx-heading-number.ag-cell') : null;

/** The item is selected over its whole width: dragging its number moves it. */
function isWhole(editor: Editor, item: string): boolean {
  const { selection, view } = editor.store.getState();
  const row = view.rowOf(item);
  return rectsOf(selection, view).some(
    (rect) =>
      rect.top <= row &&
      row <= rect.bottom &&
      rect.left === 0 &&
      rect.right === view.columnCount - 1,
  );
}

const mayMove = (editor: Editor, item: string): boolean =>
  isWhole(editor, item) && isInCaseOrder(editor.store.getState().view);

const isPlain = (event: PointerEvent): boolean =>
  event.button === 0 && !event.shiftKey && !event.ctrlKey && !event.metaKey;

/** It was a click after all: the one row is selected. */
function selectRow(editor: Editor, item: string): void {
  const { view } = editor.store.getState();
  editor.select(
    {
      anchor: { item, rule: view.ruleAt(view.columnCount - 1) },
      focus: { item, rule: view.ruleAt(0) },
      extra: [],
    },
    { reveal: false },
  );
}

/**
 * Drags selected rows by their number, with a line where they will stand. A press on a number that
 * is not selected selects it, as everywhere; `field` is above the grid, so events come here first.
 */
export function listenToRowDrag(field: HTMLElement, editor: Editor): () => void {
  let press: { x: number; y: number; uids: readonly string[] } | undefined;
  const moving = createMovingRows(field, editor);
  const end = (): void => {
    press = undefined;
    moving.end();
  };
  const onDown = (event: PointerEvent): void => {
    const item = numberCellOf(event.target) === null ? undefined : rowHeadingOf(event.target);
    if (!isPlain(event) || item === undefined || !mayMove(editor, item)) return;
    event.stopPropagation();
    press = { x: event.clientX, y: event.clientY, uids: selectedItems(editor) };
  };
  const onMove = (event: PointerEvent): void => {
    if (press === undefined) {
      const cell = numberCellOf(event.target);
      const item = cell === null ? undefined : rowHeadingOf(cell);
      if (cell !== null && item !== undefined)
        cell.style.cursor = mayMove(editor, item) ? 'grab' : '';
      return;
    }
    const { clientX: x, clientY: y } = event;
    if (!moving.isMoving() && Math.hypot(x - press.x, y - press.y) < FROM) return;
    moving.follow(press.uids, y);
  };
  const onUp = (event: PointerEvent): void => {
    if (press === undefined) return;
    const { uids } = press;
    const isMoving = moving.isMoving();
    const before = moving.before();
    end();
    const item = rowHeadingOf(event.target);
    if (isMoving) {
      if (before !== undefined) void moveItems(editor, uids, before);
    } else if (item !== undefined) selectRow(editor, item);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!moving.isMoving() || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    end();
    editor.announce(t('Not moved'));
  };
  field.addEventListener('pointerdown', onDown, { capture: true });
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', onUp);
  window.addEventListener('pointercancel', end);
  window.addEventListener('keydown', onKeyDown, { capture: true });
  return () => {
    end();
    field.removeEventListener('pointerdown', onDown, { capture: true });
    window.removeEventListener('pointermove', onMove);
    window.removeEventListener('pointerup', onUp);
    window.removeEventListener('pointercancel', end);
    window.removeEventListener('keydown', onKeyDown, { capture: true });
  };
}
