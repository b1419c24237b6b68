import type { Editor } from '../editor/editor.ts';
import type { MenuPlace } from '../editor/editor-state.ts';
import { aimAt } from '../editor/selecting.ts';
import { contains, fieldRectOf, single } from '../model/selection.ts';
import { fieldCellOf } from './field-cell.ts';
import { isFieldInput } from './field-edit.ts';
import { rowHeadingOf } from './row-cells.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingOf } from './rule-heading.ts';

/**
 * Aims the menu at an element of the grid and opens it; false where the element is none that has a
 * menu.
 */
function openAt(
  editor: Editor,
  target: EventTarget | null,
  point?: { x: number; y: number },
): boolean {
  const cell = ruleCellOf(target);
  const field = isFieldInput(target) ? undefined : fieldCellOf(target);
  const item = rowHeadingOf(target);
  const heading = headingOf(target);
  let place: MenuPlace;
  if (cell !== undefined) {
    aimAt(editor, { cell });
    place = 'cell';
  } else if (field !== undefined) {
    const { selection, view } = editor.store.getState();
    const [row, column] = [view.rowOf(field.item), view.fieldOf(field.rule)];
    if (!contains(fieldRectOf(selection, view), row, column)) editor.select(single(field));
    else editor.focusGrid();
    place = 'field';
  } else if (item !== undefined) {
    aimAt(editor, { item });
    place = 'item';
  } else if (heading !== undefined) {
    aimAt(editor, { rule: heading.rule });
    heading.element.focus({ preventScroll: true });
    place = 'rule';
  } else return false;
  const from = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  const box = from?.getBoundingClientRect();
  editor.store.setState({
    menu: { place, from, ...(point ?? { x: (box?.left ?? 0) + 8, y: (box?.bottom ?? 0) - 4 }) },
  });
  return true;
}

/** By keys: where the focus is. */
export const openMenu = (editor: Editor): boolean => openAt(editor, document.activeElement);

/** The right button, a long touch, and what else a platform knows. */
export function listenToMenu(host: HTMLElement, editor: Editor): () => void {
  const onContextMenu = (event: MouseEvent): void => {
    const isPointed = event instanceof PointerEvent && event.pointerType !== '';
    if (
      openAt(editor, event.target, isPointed ? { x: event.clientX, y: event.clientY } : undefined)
    )
      event.preventDefault();
  };
  host.addEventListener('contextmenu', onContextMenu);
  return () => host.removeEventListener('contextmenu', onContextMenu);
}
