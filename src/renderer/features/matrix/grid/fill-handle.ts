import type { Editor } from '../editor/editor.ts';
import { fillAlong, fillFrom, fillTo } from '../editor/fill.ts';
import { type Rect, rectOf } from '../model/selection.ts';
import type { Dragging } from './dragging.ts';
import { ruleCellOf } from './rule-cell.ts';
import { t } from '../../../text/t.ts';

export const isHandle = (target: EventTarget | null): boolean =>
  target instanceof Element && target.classList.contains('mx-handle');

/** Shows what would be filled while the handle is drawn; fills when it is let go. */
export function drawHandle(editor: Editor, dragging: Dragging, event: PointerEvent): void {
  const { store } = editor;
  const { selection, view } = store.getState();
  const source = rectOf(selection, view);
  if (source === null) return;
  const show = (fill: Rect | null): void => store.setState({ fill });
  dragging.start(event, {
    across: true,
    follow: (under) => {
      const cell = ruleCellOf(under);
      if (cell !== undefined) show(fillTo(source, view.rowOf(cell.item), view.columnOf(cell.rule)));
    },
    end: () => {
      const target = store.getState().fill;
      show(null);
      // Rows or columns that came or went meanwhile have moved what the numbers stand for.
      if (target !== null && store.getState().view === view)
        void fillFrom(editor, { source, target });
    },
    cancel: () => show(null),
  });
}

/** A double click on the handle. */
export function followNeighbour(editor: Editor): void {
  const { selection, view } = editor.store.getState();
  const source = rectOf(selection, view);
  const target = source === null ? null : fillAlong(source, view, editor.session);
  if (source === null || target === null)
    editor.announce(t('No recorded cells beside these to follow down'));
  else void fillFrom(editor, { source, target });
}
