import { type Rect, rectsOf } from '../model/selection.ts';
import type { Editor } from '../editor/editor.ts';
import type { View } from '../model/view.ts';

/** A row of the grid: only who it is. What its cells hold is asked of the session. */
export interface RowHandle {
  item: string;
}

export interface Painted {
  paint(): void;
}

/**
 * The cells, progress bars and headings that are on screen now. A change repaints these few
 * hundred, and each touches the document only where it differs. How many cells of the matrix have
 * changed makes no difference.
 */
export interface Painter {
  readonly editor: Editor;
  readonly view: View;
  /** What is selected, the active rectangle first. */
  readonly rects: readonly Rect[];
  /** Where the fill handle stands: at the end of the one block. */
  readonly handle: { row: number; column: number } | null;
  /** What a drag of the handle would fill. */
  readonly fill: Rect | null;
  add(painted: Painted): void;
  remove(painted: Painted): void;
  paint(): void;
}

export function createPainter(editor: Editor): Painter {
  const shown = new Set<Painted>();
  let view = editor.store.getState().view;
  let rects: readonly Rect[] = [];
  return {
    editor,
    get view() {
      return view;
    },
    get rects() {
      return rects;
    },
    get handle() {
      const [rect, ...others] = rects;
      return rect === undefined || others.length > 0
        ? null
        : { row: rect.bottom, column: rect.right };
    },
    get fill() {
      return editor.store.getState().fill;
    },
    add: (painted) => void shown.add(painted),
    remove: (painted) => void shown.delete(painted),
    paint: () => {
      const state = editor.store.getState();
      view = state.view;
      rects = rectsOf(state.selection, view);
      for (const painted of shown) painted.paint();
    },
  };
}
