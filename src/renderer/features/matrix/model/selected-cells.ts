import type { CellAddress } from '../../../data/store/port.ts';
import { contains, type Rect, rectsOf, type Selection } from './selection.ts';
import type { View } from './view.ts';

/**
 * The cells that were selected in a view. They stay these cells whatever is added, moved or removed
 * later: the view keeps which item and which rule stood where.
 */
export interface SelectedCells {
  readonly rects: readonly Rect[];
  readonly view: View;
}

export const selectedCells = ({
  selection,
  view,
}: {
  selection: Selection | null;
  view: View;
}): SelectedCells => ({ rects: rectsOf(selection, view), view });

export const isAmong = ({ rects, view }: SelectedCells, { item, rule }: CellAddress): boolean => {
  const [row, column] = [view.rowOf(item), view.columnOf(rule)];
  return rects.some((rect) => contains(rect, row, column));
};
