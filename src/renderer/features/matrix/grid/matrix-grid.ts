import { CellStyleModule, ClientSideRowModelModule, createGrid, type GridApi, type GridOptions, ModuleRegistry, RenderApiModule, ScrollApiModule } from 'ag-grid-community';
import type { Editor } from '../editor.ts';
import type { GridPort } from '../editor-state.ts';
import { sameCell, single } from '../selection.ts';
import { listenToClipboard } from './clipboard-events.ts';
import { createColumns, HEADER_HEIGHT, type Layout, ROW_HEIGHT } from './columns.ts';
import { createDragging } from './dragging.ts';
import { listenToKeys } from './keyboard.ts';
import { createPainter, type RowHandle } from './painting.ts';
import { listenToPointer } from './pointer.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingOf } from './rule-heading.ts';
import { matrixTheme } from './theme.ts';

ModuleRegistry.registerModules([CellStyleModule, ClientSideRowModelModule, RenderApiModule, ScrollApiModule]);

export interface MatrixGrid {
  setLayout(layout: Layout): void;
  destroy(): void;
}

const headerHeight = (compact: boolean): number => (compact ? HEADER_HEIGHT.compact : HEADER_HEIGHT.wide);

/** AG Grid draws and scrolls; what cells hold, what is selected and what keys mean is the editor's. */
export function createMatrixGrid(host: HTMLElement, editor: Editor, first: Layout, styleNonce: string | undefined): MatrixGrid {
  let layout = first;
  const painter = createPainter(editor);
  const columns = createColumns(painter);
  const handles = new Map<string, RowHandle>();
  const handleOf = (item: string): RowHandle => {
    let handle = handles.get(item);
    if (handle === undefined) handles.set(item, (handle = { item }));
    return handle;
  };
  const rows = (): RowHandle[] => {
    const { view } = editor.store.getState();
    return Array.from({ length: view.rowCount }, (_, row) => handleOf(view.itemAt(row)));
  };
  const options: GridOptions<RowHandle> = {
    theme: matrixTheme,
    ...(styleNonce === undefined ? {} : { styleNonce }),
    columnDefs: columns(layout),
    defaultColDef: { sortable: false, suppressMovable: true, resizable: false },
    rowData: rows(),
    getRowId: ({ data }) => data.item,
    rowHeight: ROW_HEIGHT,
    headerHeight: headerHeight(layout.compact),
    rowBuffer: 3,
    ensureDomOrder: true,
    animateRows: false,
    suppressColumnMoveAnimation: true,
    suppressDragLeaveHidesColumns: true,
    suppressScrollOnNewData: true,
    suppressNoRowsOverlay: true,
  };
  painter.paint();
  // Not by the columns' own class: headings that stay drawn would keep the old one.
  const mark = (): void => {
    host.classList.toggle('mx-turned', layout.compact);
    host.classList.toggle('mx-narrow', layout.narrow);
  };
  mark();
  const api: GridApi<RowHandle> = createGrid(host, options);
  api.setGridAriaProperty('label', 'Evidence matrix');
  api.setGridAriaProperty('multiselectable', 'true');
  const viewport = (): HTMLElement | null => host.querySelector<HTMLElement>('[role=grid], [role=treegrid]');

  let focusing = false;
  const port: GridPort = {
    reveal: ({ item, rule }) => {
      const row = editor.store.getState().view.rowOf(item);
      if (row < 0) return;
      api.ensureIndexVisible(row);
      api.ensureColumnVisible(rule);
    },
    focus: ({ item, rule }) => {
      const row = editor.store.getState().view.rowOf(item);
      if (row < 0) return;
      focusing = true;
      api.setFocusedCell(row, rule);
      focusing = false;
    },
    paint: () => painter.paint(),
    setRows: () => {
      const hadFocus = port.hasFocus();
      // The grid keeps its focus by row number: where rows came in between, that is another item for a moment, and nobody's wish.
      focusing = true;
      api.setGridOption('rowData', rows());
      focusing = false;
      const { selection } = editor.store.getState();
      if (hadFocus && selection !== null) port.focus(selection.focus);
    },
    hasFocus: () => host.contains(document.activeElement),
    pageRows: () => Math.max(1, Math.floor(((viewport()?.clientHeight ?? 0) - headerHeight(layout.compact)) / ROW_HEIGHT) - 1),
  };
  /** The focus came by a way that is the grid's own (Tab from outside, arrow down from a heading): the selection goes with it. */
  const onFocusIn = (event: FocusEvent): void => {
    const cell = ruleCellOf(event.target);
    if (focusing || cell === undefined) return;
    const isFromHeading = headingOf(event.relatedTarget) !== undefined;
    if (!isFromHeading && sameCell(cell, editor.store.getState().selection?.focus)) return;
    editor.select(single(cell), { reveal: false, focus: false });
  };
  host.addEventListener('focusin', onFocusIn);
  const stopFill = editor.store.subscribe(({ fill }, before) => {
    if (fill !== before.fill) painter.paint();
  });
  const dragging = createDragging(host, viewport);
  const stop = [editor.attach(port), dragging.stop, stopFill, listenToKeys(host, editor), listenToPointer(host, editor, dragging), listenToClipboard(host, editor), () => host.removeEventListener('focusin', onFocusIn)];
  return {
    setLayout: (next) => {
      if (next.compact === layout.compact && next.narrow === layout.narrow) return;
      layout = next;
      mark();
      api.setGridOption('columnDefs', columns(layout));
      api.setGridOption('headerHeight', headerHeight(layout.compact));
    },
    destroy: () => {
      for (const end of stop) end();
      api.destroy();
    },
  };
}
