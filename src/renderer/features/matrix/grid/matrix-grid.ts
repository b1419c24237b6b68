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
import type { Editor } from '../editor/editor.ts';
import type { GridPort } from '../editor/editor-state.ts';
import { sameCell, single } from '../model/selection.ts';
import { listenToClipboard } from './clipboard-events.ts';
import { widen, widthOf } from '../model/column-plan.ts';
import { createColumns, headerHeight, type Layout, rowHeight } from './columns.ts';
import { createDragging } from './dragging.ts';
import { listenToHeadingDrag } from './heading-drag.ts';
import { listenToKeys } from './keyboard.ts';
import { listenToMenu, openMenu } from './menu-events.ts';
import { PAGE_ROWS } from '../model/preferences.ts';
import { createPainter, type RowHandle } from './painting.ts';
import { listenToPointer } from './pointer.ts';
import { ruleCellOf } from './rule-cell.ts';
import { headingIn, headingOf } from './rule-heading.ts';
import { matrixTheme } from './theme.ts';

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelModule,
  RenderApiModule,
  ScrollApiModule,
]);
/** Milliseconds without scrolling before the place is noted. */
const STILL = 80;

export interface MatrixGrid {
  setLayout(layout: Layout): void;
  destroy(): void;
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
    rowHeight: rowHeight(layout),
    headerHeight: headerHeight(layout),
    rowBuffer: 3,
    ...(paged
      ? {
          pagination: true,
          paginationPageSize: PAGE_ROWS,
          paginationPageSizeSelector: false,
          suppressPaginationPanel: true,
          suppressColumnVirtualisation: true,
          suppressRowVirtualisation: true,
        }
      : {}),
    ensureDomOrder: true,
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
    onFirstDataRendered: () => backToPlace(),
    onPaginationChanged: () => {
      if (paged)
        editor.store.setState({
          page: { at: api.paginationGetCurrentPage(), count: api.paginationGetTotalPages() },
        });
    },
  };
  painter.paint();
  // Not by the columns' own class: headings that stay drawn would keep the old one.
  const mark = (): void => {
    host.classList.toggle('mx-turned', layout.compact);
    host.classList.toggle('mx-narrow', layout.narrow);
    host.classList.toggle('mx-low', layout.low);
    host.dataset['density'] = layout.density;
  };
  mark();
  const api: GridApi<RowHandle> = createGrid(host, options, {
    modules: paged ? [PaginationModule] : [],
  });
  api.setGridAriaProperty('label', 'Evidence matrix');
  api.setGridAriaProperty('multiselectable', 'true');
  const tellAccess = (): void =>
    api.setGridAriaProperty(
      'readonly',
      editor.session.saveStatus.access.may === 'read' ? 'true' : null,
    );
  tellAccess();
  const viewport = (): HTMLElement | null =>
    host.querySelector<HTMLElement>('[role=grid], [role=treegrid]');

  let focusing = false;
  const port: GridPort = {
    reveal: ({ item, rule }) => {
      const row = editor.store.getState().view.rowOf(item);
      if (row < 0) return;
      if (paged) api.paginationGoToPage(Math.floor(row / PAGE_ROWS));
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
      // The grid keeps its focus by row number. When rows come in between, that is another item for
      // a moment, which nobody wished for.
      focusing = true;
      api.setGridOption('rowData', rows());
      focusing = false;
      const { selection } = editor.store.getState();
      if (hadFocus && selection !== null) port.focus(selection.focus);
    },
    setColumns: () => {
      const hadFocus = port.hasFocus() && headingOf(document.activeElement) === undefined;
      focusing = true;
      api.setGridOption('columnDefs', columns(layout));
      focusing = false;
      const { selection } = editor.store.getState();
      if (hadFocus && selection !== null) port.focus(selection.focus);
    },
    goToPage: (page) => api.paginationGoToPage(page),
    columnWidth: (rule) => headingIn(host, rule)?.offsetWidth,
    openMenu: () => openMenu(editor),
    hasFocus: () => host.contains(document.activeElement),
    pageRows: () =>
      Math.max(
        1,
        Math.floor(((viewport()?.clientHeight ?? 0) - headerHeight(layout)) / rowHeight(layout)) -
          1,
      ),
  };
  /**
   * The focus came by a way that is the grid's own (Tab from outside, arrow down from a heading):
   * the selection goes with it.
   */
  const onFocusIn = (event: FocusEvent): void => {
    const cell = ruleCellOf(event.target);
    if (focusing || cell === undefined) return;
    const isFromHeading = headingOf(event.relatedTarget) !== undefined;
    if (!isFromHeading && sameCell(cell, editor.store.getState().selection?.focus)) return;
    editor.select(single(cell), { reveal: false, focus: false });
  };
  /**
   * The border of a heading, pressed twice, gives its column back the width that the room allows.
   */
  const onDoubleClick = (event: MouseEvent): void => {
    const column =
      event.target instanceof Element && event.target.closest('.ag-header-cell-resize') !== null
        ? event.target.closest('.ag-header-cell')?.getAttribute('col-id')
        : null;
    if (column === null || column === undefined) return;
    editor.arrange({ columns: widen(editor.store.getState().columns, column, null) });
  };
  /**
   * A column that shares the available width has a maximum. Before it is dragged wider, it gets its
   * present width as its own.
   */
  const onResizeStart = ({ target }: PointerEvent): void => {
    const heading =
      target instanceof Element && target.closest('.ag-header-cell-resize') !== null
        ? headingOf(target)
        : undefined;
    const { columns: plan } = editor.store.getState();
    if (heading !== undefined && widthOf(plan, heading.rule) === undefined)
      editor.arrange({ columns: widen(plan, heading.rule, heading.element.offsetWidth) });
  };
  let stillTimer: ReturnType<typeof setTimeout> | undefined;
  const notePlace = (): void => {
    stillTimer = undefined;
    const { scrollTop: top = 0, scrollLeft: left = 0 } = viewport() ?? {};
    editor.store.setState({ scroll: { top, left } });
  };
  /** The grid's own scroll bar follows with events of its own. */
  const onScroll = (): void => {
    clearTimeout(stillTimer);
    stillTimer = setTimeout(notePlace, STILL);
  };
  /**
   * Called before the scroll position is saved for the last time: the scroll event comes only with
   * the next frame, which may never come.
   */
  const onPageHide = (): void => {
    clearTimeout(stillTimer);
    const { scroll } = editor.store.getState();
    const shown = viewport();
    if (shown !== null && (shown.scrollTop !== scroll.top || shown.scrollLeft !== scroll.left))
      notePlace();
  };
  const backToPlace = (): void => {
    const { scroll, selection } = editor.store.getState();
    const scrollBack = (): void => viewport()?.scrollTo(scroll.left, scroll.top);
    scrollBack();
    if (selection === null || document.activeElement !== document.body) return;
    port.focus(selection.focus);
    scrollBack();
  };
  host.addEventListener('focusin', onFocusIn);
  const stopFill = editor.store.subscribe(({ fill }, before) => {
    if (fill !== before.fill) painter.paint();
  });
  const dragging = createDragging(host, viewport);
  host.addEventListener('dblclick', onDoubleClick);
  host.addEventListener('pointerdown', onResizeStart, { capture: true });
  host.addEventListener('scroll', onScroll, { capture: true, passive: true });
  window.addEventListener('pagehide', onPageHide, { capture: true });
  const stop = [
    editor.attach(port),
    editor.session.subscribeSaveStatus(tellAccess),
    dragging.stop,
    stopFill,
    listenToHeadingDrag(host, editor),
    listenToKeys(host, editor),
    listenToPointer(host, editor, dragging),
    listenToClipboard(host, editor),
    listenToMenu(host, editor),
    () => {
      clearTimeout(stillTimer);
      host.removeEventListener('focusin', onFocusIn);
      host.removeEventListener('dblclick', onDoubleClick);
      host.removeEventListener('pointerdown', onResizeStart, { capture: true });
      host.removeEventListener('scroll', onScroll, { capture: true });
      window.removeEventListener('pagehide', onPageHide, { capture: true });
    },
  ];
  return {
    setLayout: (next) => {
      const before = layout;
      layout = next;
      mark();
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
