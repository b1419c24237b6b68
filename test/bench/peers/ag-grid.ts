import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community';
import { type Peer, type Row, RULES, ruleOf } from './peer.ts';

ModuleRegistry.registerModules([AllCommunityModule]);

/** Pixels of a row and of a column. */
interface Room {
  row: number;
  column: number;
}
/** Its usual rows, and columns that are as wide as in the other grids. */
const USUAL: Room = { row: 42, column: 68 };
/** As dense as the editor shows 50 rules: twice as many cells are on screen. */
export const DENSE: Room = { row: 28, column: 42 };

/**
 * AG Grid Community as its manual sets it up: editable columns, its own undo, sort and text filter.
 */
export function agGrid(host: HTMLElement, rows: Row[], room = USUAL): Peer {
  const api = createGrid<Row>(host, {
    rowData: rows,
    rowHeight: room.row,
    columnDefs: [
      { field: 'item', pinned: 'left', width: 140 },
      ...Array.from({ length: RULES }, (_, rule) => ({ field: ruleOf(rule), width: room.column })),
    ],
    defaultColDef: { editable: true, sortable: true, filter: 'agTextColumnFilter' },
    undoRedoCellEditing: true,
  });
  return {
    shown: (row, rule) =>
      host.querySelector(`.ag-row[row-index="${row}"] [col-id="${ruleOf(rule)}"]`)?.textContent ??
      null,
    scroller: () => host.querySelector('[role=grid], .ag-body-viewport')!,
    focus: async (row, rule) => api.setFocusedCell(row, ruleOf(rule)),
    set: async (count, value) => {
      for (const row of rows.slice(0, count))
        for (let rule = 0; rule < RULES; rule += 1) row[ruleOf(rule)] = value;
      api.refreshCells({ force: true });
    },
    sort: async (rule) =>
      void api.applyColumnState({
        state: [{ colId: ruleOf(rule), sort: 'asc' }],
        defaultState: { sort: null },
      }),
    unsort: async () => void api.applyColumnState({ defaultState: { sort: null } }),
    filter: async (rule, value) => {
      api.setFilterModel({ [ruleOf(rule)]: { type: 'equals', filter: value } });
    },
  };
}
