import type { Selection } from '../model/selection.ts';
import type { PastedTable } from '../model/pasted-table.ts';
import type { View } from '../model/view.ts';

/**
 * A paste that wants a look before it is done. Its rows and columns are those that were shown when
 * it was asked for, whatever others add, move or remove before.
 */
export interface PasteRequest {
  table: PastedTable;
  selection: Selection;
  view: View;
}
