import type { CellAddress, MatrixSession } from '../../../data/store/port.ts';
import { fieldId, fieldText, memberOf } from '../model/fields.ts';
import type { GridExtent, GridPosition } from '../model/motion.ts';
import { rectsOf, sameSelection, sizeWords } from '../model/selection.ts';
import type { Editor } from './editor.ts';
import type { EditorStore, GridPort } from './editor-state.ts';

/** The grid on screen, while there is one. */
export interface GridHolder {
  port: GridPort | undefined;
}

/** What the parts of an editor share. */
export interface Parts {
  session: MatrixSession;
  store: EditorStore;
  grid: GridHolder;
  announce(text: string): void;
}

/**
 * The focused cell and the selection, in display rows and columns; fields of the items count down
 * from -1.
 */
export interface Cursor {
  /** What a motion is worked out on. */
  field(): GridExtent;
  positionOf(cell: CellAddress | null): GridPosition | null;
  /** Where the focus is; null where that is not shown. */
  here(): GridPosition | null;
  cellAt(position: GridPosition): CellAddress;
  select: Editor['select'];
}

export function createCursor({ session, store, grid }: Parts): Cursor {
  const get = store.getState;
  const positionOf: Cursor['positionOf'] = (cell) => {
    if (cell === null) return null;
    const { view } = get();
    const row = view.rowOf(cell.item);
    const field = view.fieldOf(cell.rule);
    if (row >= 0 && field >= 0) return { row, column: field - view.fields.length };
    const column = view.columnOf(cell.rule);
    return row < 0 || column < 0 ? null : { row, column };
  };
  return {
    field: () => {
      const { view } = get();
      return {
        rows: view.rowCount,
        columns: view.columnCount,
        fields: view.fields.length,
        page: grid.port?.pageRows() ?? 20,
        recorded: (row, column) => {
          const stored = view.storeRow(row);
          const field = view.fields[view.fields.length + column];
          return column < 0 && field !== undefined
            ? fieldText(memberOf(session.items[stored]?.metadata, field.key)) !== ''
            : session.state(stored, view.storeColumn(column)) !== null;
        },
      };
    },
    positionOf,
    here: () => positionOf(get().selection?.focus ?? null),
    cellAt: ({ row, column }) => {
      const { view } = get();
      const field = column < 0 ? view.fields[view.fields.length + column] : undefined;
      return {
        item: view.itemAt(row),
        rule: field === undefined ? view.ruleAt(column) : fieldId(field.key),
      };
    },
    select: (selection, { reveal = true, focus = true } = {}) => {
      // Before anything is drawn: the grid looks where it stands, and the browser would first have
      // to lay out what was drawn.
      if (selection !== null && reveal !== false)
        grid.port?.reveal(reveal === true ? selection.focus : reveal);
      if (!sameSelection(selection, get().selection)) {
        store.setState({ selection });
        grid.port?.paint();
        const size = sizeWords(rectsOf(selection, get().view));
        if (size !== undefined) store.setState({ announcement: { text: size, passing: true } });
      }
      if (selection !== null && focus) grid.port?.focus(selection.focus);
    },
  };
}
