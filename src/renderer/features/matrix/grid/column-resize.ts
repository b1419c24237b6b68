import type { Editor } from '../editor/editor.ts';
import { widen, widthOf } from '../model/column-plan.ts';
import { fittingWidth } from './fit-width.ts';
import { headingOf } from './rule-heading.ts';

const BORDER = '.ag-header-cell-resize';

const isBorder = (target: EventTarget | null): target is Element =>
  target instanceof Element && target.closest(BORDER) !== null;

/** The border between two headings: dragged by the grid; a double click fits the column. */
export function listenToResize(host: HTMLElement, editor: Editor): () => void {
  const onDoubleClick = ({ target }: MouseEvent): void => {
    const column = isBorder(target)
      ? target.closest('.ag-header-cell')?.getAttribute('col-id')
      : null;
    if (column === null || column === undefined) return;
    const width = fittingWidth(host, editor, column);
    if (width !== undefined)
      editor.arrange({ columns: widen(editor.store.getState().columns, column, width) });
  };
  /**
   * A column that shares the available width has a maximum. Before it is dragged wider, it gets its
   * present width as its own.
   */
  const onResizeStart = ({ target }: PointerEvent): void => {
    const heading = isBorder(target) ? headingOf(target) : undefined;
    const { columns: plan } = editor.store.getState();
    if (heading !== undefined && widthOf(plan, heading.rule) === undefined)
      editor.arrange({ columns: widen(plan, heading.rule, heading.element.offsetWidth) });
  };
  host.addEventListener('dblclick', onDoubleClick);
  host.addEventListener('pointerdown', onResizeStart, { capture: true });
  return () => {
    host.removeEventListener('dblclick', onDoubleClick);
    host.removeEventListener('pointerdown', onResizeStart, { capture: true });
  };
}
