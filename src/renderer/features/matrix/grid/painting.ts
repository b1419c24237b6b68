import { fieldRectOf, type Rect, rectOf, rectsOf } from '../model/selection.ts';
import type { Editor } from '../editor/editor.ts';
import type { EditorState } from '../editor/editor-state.ts';
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
  /** What was copied, where it is still that block. */
  readonly copied: Rect | null;
  /** The same of the items' fields, which are counted apart from the rules. */
  readonly fieldRect: Rect | null;
  readonly copiedFields: Rect | null;
  add(painted: Painted): void;
  remove(painted: Painted): void;
  paint(): void;
}

function copiedRect({ copied, view }: EditorState, of: typeof rectOf): Rect | null {
  if (copied === null) return null;
  const rect = of({ anchor: copied.from, focus: copied.to, extra: [] }, view);
  const isWhole =
    rect !== null &&
    rect.bottom - rect.top + 1 === copied.rows &&
    rect.right - rect.left + 1 === copied.columns;
  return isWhole ? rect : null;
}

export function createPainter(editor: Editor): Painter {
  const shown = new Set<Painted>();
  let view = editor.store.getState().view;
  let rects: readonly Rect[] = [];
  let copied: Rect | null = null;
  let fieldRect: Rect | null = null;
  let copiedFields: Rect | null = null;
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
    get copied() {
      return copied;
    },
    get fieldRect() {
      return fieldRect;
    },
    get copiedFields() {
      return copiedFields;
    },
    add: (painted) => void shown.add(painted),
    remove: (painted) => void shown.delete(painted),
    paint: () => {
      const state = editor.store.getState();
      view = state.view;
      rects = rectsOf(state.selection, view);
      copied = copiedRect(state, rectOf);
      fieldRect = fieldRectOf(state.selection, view);
      copiedFields = copiedRect(state, fieldRectOf);
      for (const painted of shown) painted.paint();
    },
  };
}
