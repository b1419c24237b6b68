import type { Selection } from '../selection.ts';
import type { Table } from './table.ts';

/**
 * A paste that wants a look before it is done. The place is kept by ids: the matrix may change
 * meanwhile.
 */
export interface PasteRequest {
  table: Table;
  selection: Selection;
}
