import type { Selection } from '../model/selection.ts';
import type { PastedTable } from '../model/pasted-table.ts';
import type { View } from '../model/view.ts';

/**
 * Where a paste was asked for: its rows and columns are those that were shown then, whatever others
 * add, move or remove before it is done.
 */
export interface PastePlace {
  selection: Selection;
  view: View;
}

/** A paste that wants a look before it is done. */
export interface PasteRequest extends PastePlace {
  table: PastedTable;
}
