import type { Editor } from '../editor/editor.ts';
import { rowHeadingOf } from './row-cells.ts';
import { ruleCellOf } from './rule-cell.ts';
import { rectsOf } from '../model/selection.ts';
import { isInCaseOrder, moveItems, nameItems, selectedItems } from '../rows/rows.ts';

/**
 * Pixels from which a press is a drag; distance from the border from which it scrolls; and the
 * farthest it goes in a frame.
 */
const FROM = 5;
const EDGE = 30;
const STEP = 48;

interface Drag {
  uids: readonly string[];
  startX: number;
  startY: number;
  x: number;
  y: number;
  isMoving: boolean;
  /** The row that it would go before; null for the end, undefined for nowhere. */
  before: string | null | undefined;
}

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

/**
 * Drags selected rows by their number, with a line where they will stand. A press on a number that
 * is not selected selects it, as everywhere; `field` is above the grid, so this hears of the
 * pointer first.
 */
export function listenToRowDrag(field: HTMLElement, editor: Editor): () => void {
  let drag: Drag | undefined;
  let frame = 0;
  const line = Object.assign(document.createElement('div'), {
    className: 'mx-drop',
    ariaHidden: 'true',
  });
  const words = Object.assign(document.createElement('span'), { className: 'mx-drop-words' });
  line.append(words);
  const viewport = (): HTMLElement | null =>
    field.querySelector<HTMLElement>('[role=grid], [role=treegrid]');

  const place = (): void => {
    if (drag === undefined) return;
    const box = viewport()?.getBoundingClientRect();
    const { view } = editor.store.getState();
    if (box === undefined) return;
    const y = Math.min(Math.max(drag.y, box.top + 1), box.bottom - 2);
    // Along the left border there are rows at every height, whatever the pointer is over.
    const under = document.elementsFromPoint(box.left + 8, y).find((element) => element !== line);
    const item = rowHeadingOf(under ?? null) ?? ruleCellOf(under ?? null)?.item;
    const row = under?.closest('.ag-row')?.getBoundingClientRect();
    const at = item === undefined ? -1 : view.rowOf(item);
    if (at < 0 || row === undefined) {
      const last = [...field.querySelectorAll('.ag-row')]
        .map((element) => element.getBoundingClientRect().bottom)
        .reduce((a, b) => Math.max(a, b), 0);
      drag.before = last > 0 && y >= last ? null : undefined;
      show(drag.before === null ? last : undefined);
      return;
    }
    const isAfter = y > row.top + row.height / 2;
    const following = editor.session.items[view.storeRow(at) + 1]?.item_uid ?? null;
    drag.before = isAfter ? following : view.itemAt(at);
    show(isAfter ? row.bottom : row.top);
  };
  const show = (y: number | undefined): void => {
    const frameBox = field.getBoundingClientRect();
    const box = viewport()?.getBoundingClientRect();
    line.hidden = y === undefined;
    if (y === undefined || box === undefined || drag === undefined) return;
    line.style.top = `${Math.round(y - frameBox.top - 1.5)}px`;
    line.style.left = `${Math.round(box.left - frameBox.left)}px`;
    line.style.width = `${Math.round(box.width)}px`;
    words.textContent = `Move ${nameItems(editor, drag.uids)}`;
  };
  const scroll = (): void => {
    const element = viewport();
    if (drag?.isMoving !== true || element === null) return;
    const box = element.getBoundingClientRect();
    const top = field.querySelector('.ag-header')?.getBoundingClientRect().bottom ?? box.top;
    const by =
      drag.y < top + EDGE
        ? Math.max(-STEP, drag.y - top - EDGE)
        : drag.y > box.bottom - EDGE
          ? Math.min(STEP, drag.y - box.bottom + EDGE)
          : 0;
    if (by !== 0) {
      element.scrollBy(0, by);
      place();
    }
    frame = requestAnimationFrame(scroll);
  };
  const begin = (): void => {
    if (drag === undefined) return;
    drag.isMoving = true;
    field.append(line);
    field.dataset['moving'] = '';
    editor.announce(`Moving ${nameItems(editor, drag.uids)}. Escape leaves them where they are.`);
    frame = requestAnimationFrame(scroll);
  };
  const end = (): void => {
    cancelAnimationFrame(frame);
    line.remove();
    delete field.dataset['moving'];
    drag = undefined;
  };

  const onDown = (event: PointerEvent): void => {
    const item = numberCellOf(event.target) === null ? undefined : rowHeadingOf(event.target);
    if (
      event.button !== 0 ||
      event.shiftKey ||
      event.ctrlKey ||
      event.metaKey ||
      item === undefined ||
      !isWhole(editor, item) ||
      !isInCaseOrder(editor.store.getState().view)
    )
      return;
    event.stopPropagation();
    drag = {
      uids: selectedItems(editor),
      startX: event.clientX,
      startY: event.clientY,
      x: event.clientX,
      y: event.clientY,
      isMoving: false,
      before: undefined,
    };
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === undefined) {
      const cell = numberCellOf(event.target);
      const item = cell === null ? undefined : rowHeadingOf(cell);
      if (cell !== null && item !== undefined)
        cell.style.cursor =
          isWhole(editor, item) && isInCaseOrder(editor.store.getState().view) ? 'grab' : '';
      return;
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
    if (!drag.isMoving && Math.hypot(drag.x - drag.startX, drag.y - drag.startY) < FROM) return;
    if (!drag.isMoving) begin();
    place();
  };
  const onUp = (event: PointerEvent): void => {
    if (drag === undefined) return;
    const { uids, before, isMoving } = drag;
    end();
    if (!isMoving) {
      // It was a click after all: the one row is selected.
      const item = rowHeadingOf(event.target);
      const { view } = editor.store.getState();
      if (item !== undefined)
        editor.select(
          {
            anchor: { item, rule: view.ruleAt(view.columnCount - 1) },
            focus: { item, rule: view.ruleAt(0) },
            extra: [],
          },
          { reveal: false },
        );
    } else if (before !== undefined) void moveItems(editor, uids, before);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (drag?.isMoving !== true || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    end();
    editor.announce('Not moved');
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
