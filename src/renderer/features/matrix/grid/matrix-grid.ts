import {
  CellStyleModule,
  ClientSideRowModelModule,
  createGrid,
  type GridApi,
  type GridOptions,
  ModuleRegistry,
  PaginationModule,
  RenderApiModule,
  ScrollApiModule,
} from 'ag-grid-community';
import { onlySuggests } from '../editor/action.ts';
import type { Editor } from '../editor/editor.ts';
import { widen } from '../model/column-plan.ts';
import { PAGE_ROWS } from '../model/preferences.ts';
import { sameCell, single } from '../model/selection.ts';
import { listenToClipboard } from './clipboard-events.ts';
import { listenToResize } from './column-resize.ts';
import { listenToHeadHeight } from './head-height.ts';
import { fieldCellOf } from './field-cell.ts';
import { isFieldInput } from './field-edit.ts';
import { createColumns, headerHeight, type Layout, rowHeight } from './columns.ts';
import { createDragging } from './dragging.ts';
import { createGridPort, createRows, type FocusedPort, type GridParts } from './grid-port.ts';
import { listenToHeadingDrag } from './heading-drag.ts';
import { listenToKeys } from './keyboard.ts';
import { listenToMenu } from './menu-events.ts';
import { createPainter, type RowHandle } from './painting.ts';
import { listenToPointer } from './pointer.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingOf } from './rule-heading.ts';
import { listenToScroll, scrollBack } from './scroll-place.ts';
import { matrixTheme } from './theme.ts';
import { t } from '../../../text/t.ts';

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelModule,
  RenderApiModule,
  ScrollApiModule,
]);

export interface MatrixGrid {
  setLayout(layout: Layout): void;
  destroy(): void;
}

/** A page of the screen-reader view has all of its rows and columns in the document. */
const PAGED: GridOptions<RowHandle> = {
  pagination: true,
  paginationPageSize: PAGE_ROWS,
  paginationPageSizeSelector: false,
  suppressPaginationPanel: true,
  suppressColumnVirtualisation: true,
  suppressRowVirtualisation: true,
};

function optionsOf(
  { editor, columns, layout, paged }: GridParts,
  rows: () => RowHandle[],
): GridOptions<RowHandle> {
  return {
    theme: matrixTheme,
    columnDefs: columns(layout()),
    defaultColDef: { sortable: false, suppressMovable: true, resizable: false },
    rowData: rows(),
    getRowId: ({ data }) => data.item,
    rowHeight: rowHeight(layout()),
    headerHeight: headerHeight(layout()),
    rowBuffer: 3,
    ...(paged ? PAGED : {}),
    ensureDomOrder: true,
    // By the number of its row, which may be another item's by then.
    suppressFocusAfterRefresh: true,
    animateRows: false,
    suppressColumnMoveAnimation: true,
    suppressDragLeaveHidesColumns: true,
    suppressScrollOnNewData: true,
    suppressNoRowsOverlay: true,
    onColumnResized: ({ finished, source, column }) => {
      if (!finished || source !== 'uiColumnResized' || column === null) return;
      const { columns: plan } = editor.store.getState();
      editor.arrange({ columns: widen(plan, column.getColId(), column.getActualWidth()) });
    },
    onPaginationChanged: ({ api }) => {
      if (paged)
        editor.store.setState({
          page: { at: api.paginationGetCurrentPage(), count: api.paginationGetTotalPages() },
        });
    },
  };
}

/** Not by the columns' own class: headings that stay drawn would keep the old one. */
function markLayout(host: HTMLElement, layout: Layout): void {
  const { compact, narrow, room, density } = layout;
  host.classList.toggle('mx-turned', compact);
  host.classList.toggle('mx-narrow', narrow);
  host.classList.toggle('mx-low', room === 'little');
  host.style.setProperty('--mx-row', `${rowHeight(layout)}px`);
  host.toggleAttribute('data-head', layout.head !== undefined);
  host.style.setProperty('--mx-head', `${headerHeight(layout)}px`);
  host.dataset['density'] = density;
}

/**
 * Names the grid to a screen reader, and whether it can be written in. Where outcomes are suggested
 * alone, the fill handle is there all the same.
 */
function describe({ session }: Editor, api: GridApi<RowHandle>, host: HTMLElement): () => void {
  const showAccess = (): void => {
    const { saveStatus } = session;
    api.setGridAriaProperty('readonly', saveStatus.access.may === 'read' ? 'true' : null);
    host.toggleAttribute('data-suggests', onlySuggests(saveStatus));
  };
  api.setGridAriaProperty('label', t('Evidence matrix'));
  api.setGridAriaProperty('multiselectable', 'true');
  showAccess();
  return session.subscribeSaveStatus(showAccess);
}

/**
 * The focus came by a way that is the grid's own (Tab from outside, arrow down from a heading): the
 * selection goes with it.
 */
function listenToFocus(host: HTMLElement, editor: Editor, port: FocusedPort): () => void {
  const onFocusIn = (event: FocusEvent): void => {
    const cell = isFieldInput(event.target)
      ? undefined
      : (ruleCellOf(event.target) ?? fieldCellOf(event.target));
    if (port.isFocusing() || cell === undefined) return;
    const isFromHeading = headingOf(event.relatedTarget) !== undefined;
    if (!isFromHeading && sameCell(cell, editor.store.getState().selection?.focus)) return;
    editor.select(single(cell), { reveal: false, focus: false });
  };
  host.addEventListener('focusin', onFocusIn);
  return () => host.removeEventListener('focusin', onFocusIn);
}

/** What the person does with keys, pointer, clipboard and scroll wheel; returns how to stop. */
function listen({ host, editor, painter, viewport }: GridParts, port: FocusedPort): (() => void)[] {
  const dragging = createDragging(host, viewport);
  return [
    editor.attach(port),
    dragging.stop,
    editor.store.subscribe(({ fill, copied, marks }, before) => {
      if (fill !== before.fill || copied !== before.copied || marks !== before.marks)
        painter.paint();
    }),
    listenToFocus(host, editor, port),
    listenToResize(host, editor),
    listenToHeadHeight(host, editor),
    listenToScroll(host, editor, viewport),
    listenToHeadingDrag(host, editor),
    listenToKeys(host, editor),
    listenToPointer(host, editor, dragging),
    listenToClipboard(host, editor),
    listenToMenu(host, editor),
  ];
}

/**
 * AG Grid draws and scrolls; what cells hold, what is selected and what keys mean is the editor's.
 */
export function createMatrixGrid(
  host: HTMLElement,
  editor: Editor,
  first: Layout,
  paged: boolean,
  styleNonce: string | undefined,
): MatrixGrid {
  let layout = first;
  const painter = createPainter(editor);
  const rows = createRows(editor);
  const viewport = (): HTMLElement | null =>
    host.querySelector<HTMLElement>('[role=grid], [role=treegrid]');
  const parts: GridParts = {
    host,
    editor,
    painter,
    paged,
    columns: createColumns(painter),
    layout: () => layout,
    viewport,
  };
  painter.paint();
  markLayout(host, layout);
  const options: GridOptions<RowHandle> = {
    ...optionsOf(parts, rows),
    ...(styleNonce === undefined ? {} : { styleNonce }),
    onFirstDataRendered: () => scrollBack(editor, viewport, port),
  };
  const api: GridApi<RowHandle> = createGrid(host, options, {
    modules: paged ? [PaginationModule] : [],
  });
  const port = createGridPort(parts, rows, api);
  const stop = [describe(editor, api, host), ...listen(parts, port)];
  return {
    setLayout: (next) => {
      const before = layout;
      layout = next;
      markLayout(host, next);
      if (next.compact !== before.compact || next.narrow !== before.narrow) port.setColumns();
      if (headerHeight(next) !== headerHeight(before))
        api.setGridOption('headerHeight', headerHeight(next));
      if (rowHeight(next) !== rowHeight(before)) api.setGridOption('rowHeight', rowHeight(next));
    },
    destroy: () => {
      for (const end of stop) end();
      api.destroy();
    },
  };
}
