import type { Selection } from '../model/selection.ts';
import type { PastedTable } from '../model/pasted-table.ts';

/**
 * A paste that wants a look before it is done. The place is kept by ids: the matrix may change
 * meanwhile.
 */
export interface PasteRequest {
  table: PastedTable;
  selection: Selection;
}
