import type { Editor } from '../editor.ts';
import { single } from '../selection.ts';
import { selectItem, selectRule } from './keyboard.ts';
import { rowHeadingOf } from './row-cells.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingOf } from './rule-heading.ts';

/** Distance from the border, in pixels, from which a drag scrolls; and the farthest it goes in a frame. */
const EDGE = 28;
const STEP = 24;

const pull = (position: number, low: number, high: number): number => (position < low + EDGE ? Math.max(-STEP, position - low - EDGE) : position > high - EDGE ? Math.min(STEP, position - high + EDGE) : 0);

/** Drag, shift+click, and clicks on headings. The grid only learns where the focus is. */
export function listenToPointer(host: HTMLElement, editor: Editor, viewport: () => HTMLElement | null): () => void {
  let drag: { kind: 'cells' | 'items'; x: number; y: number } | undefined;
  let frame = 0;

  const follow = (): void => {
    if (drag === undefined) return;
    const box = viewport()?.getBoundingClientRect();
    const x = box === undefined ? drag.x : Math.min(Math.max(drag.x, box.left + 1), box.right - 20);
    const y = box === undefined ? drag.y : Math.min(Math.max(drag.y, box.top + 1), box.bottom - 20);
    const under = document.elementFromPoint(x, y);
    const { selection } = editor.store.getState();
    const item = rowHeadingOf(under);
    const cell = ruleCellOf(under);
    if (drag.kind === 'items') {
      const to = item ?? cell?.item;
      if (to !== undefined) selectItem(editor, to, true, false);
    } else if (cell !== undefined && selection !== null) editor.select({ ...single(cell), anchor: selection.anchor }, { reveal: false, focus: false });
  };
  const scroll = (): void => {
    const element = viewport();
    if (drag === undefined || element === null) return;
    const box = element.getBoundingClientRect();
    const pinned = host.querySelector('.ag-header-cell.mx-head-rule')?.closest('.ag-header')?.getBoundingClientRect();
    const dx = drag.kind === 'items' ? 0 : pull(drag.x, box.left, box.right);
    const dy = pull(drag.y, pinned?.bottom ?? box.top, box.bottom);
    if (dx !== 0 || dy !== 0) {
      element.scrollBy(dx, dy);
      follow();
    }
    frame = requestAnimationFrame(scroll);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const cell = ruleCellOf(event.target);
    const item = rowHeadingOf(event.target);
    const heading = headingOf(event.target);
    const { selection } = editor.store.getState();
    if (cell !== undefined) {
      editor.select(event.shiftKey && selection !== null ? { ...single(cell), anchor: selection.anchor } : single(cell), { reveal: false, focus: false });
    } else if (item !== undefined) {
      selectItem(editor, item, event.shiftKey, true);
    } else if (heading !== undefined) {
      selectRule(editor, heading.rule, event.shiftKey);
      heading.element.focus({ preventScroll: true });
      return;
    } else return;
    drag = { kind: cell === undefined ? 'items' : 'cells', x: event.clientX, y: event.clientY };
    frame = requestAnimationFrame(scroll);
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === undefined) return;
    drag = { ...drag, x: event.clientX, y: event.clientY };
    follow();
  };
  const onUp = (): void => {
    if (drag === undefined) return;
    drag = undefined;
    cancelAnimationFrame(frame);
    const { selection } = editor.store.getState();
    if (selection !== null) editor.select(selection, { reveal: false });
  };
  /** Row headings take no focus: the row's cell has it. */
  const onMouseDown = (event: MouseEvent): void => {
    if (rowHeadingOf(event.target) === undefined) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDoubleClick = (event: MouseEvent): void => {
    if (ruleCellOf(event.target) !== undefined) editor.openPanel('source');
  };
  host.addEventListener('pointerdown', onDown, { capture: true });
  host.addEventListener('mousedown', onMouseDown, { capture: true });
  host.addEventListener('dblclick', onDoubleClick);
  window.addEventListener('pointermove', onMove);
  window.addEventListener('pointerup', onUp);
  window.addEventListener('pointercancel', onUp);
  return () => {
    cancelAnimationFrame(frame);
    host.removeEventListener('pointerdown', onDown, { capture: true });
    host.removeEventListener('mousedown', onMouseDown, { capture: true });
    host.removeEventListener('dblclick', onDoubleClick);
    window.removeEventListener('pointermove', onMove);
    window.removeEventListener('pointerup', onUp);
    window.removeEventListener('pointercancel', onUp);
  };
}
