import type { ColDef, GridApi } from 'ag-grid-community';
import type { Editor } from '../editor/editor.ts';
import type { GridPort } from '../editor/editor-state.ts';
import { PAGE_ROWS } from '../model/preferences.ts';
import { headerHeight, type Layout, rowHeight } from './columns.ts';
import { isFieldInput, startFieldEdit } from './field-edit.ts';
import { openMenu } from './menu-events.ts';
import type { Painter, RowHandle } from './painting.ts';
import { headingIn, headingOf } from './rule-heading.ts';

/** What the grid on screen is made of. */
export interface GridParts {
  host: HTMLElement;
  editor: Editor;
  painter: Painter;
  paged: boolean;
  columns: (layout: Layout) => ColDef<RowHandle>[];
  layout(): Layout;
  viewport(): HTMLElement | null;
}

/** The grid as the editor asks of it. */
export interface FocusedPort extends GridPort {
  /** The focus is being moved by the editor, not by the person. */
  isFocusing(): boolean;
}

/** The rows of the present view, each the same object as long as its item is the same. */
export function createRows(editor: Editor): () => RowHandle[] {
  const handles = new Map<string, RowHandle>();
  const handleOf = (item: string): RowHandle => {
    let handle = handles.get(item);
    if (handle === undefined) handles.set(item, (handle = { item }));
    return handle;
  };
  return () => {
    const { view } = editor.store.getState();
    return Array.from({ length: view.rowCount }, (_, row) => handleOf(view.itemAt(row)));
  };
}

export function createGridPort(
  { host, editor, painter, paged, columns, layout, viewport }: GridParts,
  rows: () => RowHandle[],
  api: GridApi<RowHandle>,
): FocusedPort {
  let focusing = false;
  const hasFocus = (): boolean =>
    host.contains(document.activeElement) && !isFieldInput(document.activeElement);
  const focus: GridPort['focus'] = ({ item, rule }) => {
    const row = editor.store.getState().view.rowOf(item);
    if (row < 0) return;
    focusing = true;
    api.setFocusedCell(row, rule);
    focusing = false;
  };
  /**
   * The grid keeps its focus by row number. When rows or columns come in between, that is another
   * cell for a moment, which nobody wished for.
   */
  const exchange = (hadFocus: boolean, set: () => void): void => {
    focusing = true;
    set();
    focusing = false;
    const { selection } = editor.store.getState();
    if (hadFocus && selection !== null) focus(selection.focus);
  };
  return {
    isFocusing: () => focusing,
    hasFocus,
    watchFocus: () => {
      const from = document.activeElement;
      return () => {
        const now = document.activeElement;
        return now !== from && now !== document.body && !hasFocus();
      };
    },
    focus,
    reveal: ({ item, rule }) => {
      const row = editor.store.getState().view.rowOf(item);
      if (row < 0) return;
      if (paged) api.paginationGoToPage(Math.floor(row / PAGE_ROWS));
      api.ensureIndexVisible(row);
      api.ensureColumnVisible(rule);
    },
    paint: () => painter.paint(),
    setRows: () => exchange(hasFocus(), () => api.setGridOption('rowData', rows())),
    setColumns: () =>
      exchange(hasFocus() && headingOf(document.activeElement) === undefined, () =>
        api.setGridOption('columnDefs', columns(layout())),
      ),
    goToPage: (page) => api.paginationGoToPage(page),
    columnWidth: (rule) => headingIn(host, rule)?.offsetWidth,
    openMenu: () => openMenu(editor),
    editField: () =>
      document.activeElement !== null && startFieldEdit(editor, document.activeElement),
    pageRows: () => {
      const height = (viewport()?.clientHeight ?? 0) - headerHeight(layout());
      return Math.max(1, Math.floor(height / rowHeight(layout())) - 1);
    },
  };
}
