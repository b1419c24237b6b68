/** Where the keyboard goes. Positions are display rows and columns. */
export interface GridPosition {
  row: number;
  column: number;
}

export interface GridExtent {
  rows: number;
  columns: number;
  /** Columns before the first rule, which count down from -1. */
  fields?: number;
  /** Rows that a page key moves by. */
  page: number;
  recorded(row: number, column: number): boolean;
}

export type Motion =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'edgeUp'
  | 'edgeDown'
  | 'edgeLeft'
  | 'edgeRight'
  | 'rowStart'
  | 'rowEnd'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'next'
  | 'previous';

const STEPS: Partial<Record<Motion, readonly [number, number]>> = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
  edgeUp: [-1, 0],
  edgeDown: [1, 0],
  edgeLeft: [0, -1],
  edgeRight: [0, 1],
};

const firstOf = ({ fields = 0 }: GridExtent): number => (fields === 0 ? 0 : -fields);
const clamp = (value: number, count: number): number => Math.min(Math.max(value, 0), count - 1);

/**
 * To the end of the run of recorded cells, else to the next recorded cell, else to the border: as
 * spreadsheets do.
 */
function edge(
  at: GridPosition,
  [down, right]: readonly [number, number],
  field: GridExtent,
): GridPosition {
  const first = firstOf(field);
  const inside = (p: GridPosition): boolean =>
    p.row >= 0 && p.row < field.rows && p.column >= first && p.column < field.columns;
  const step = (p: GridPosition): GridPosition => ({ row: p.row + down, column: p.column + right });
  let here = at;
  let next = step(here);
  if (!inside(next)) return at;
  const run = field.recorded(at.row, at.column) && field.recorded(next.row, next.column);
  if (run) {
    while (inside(next) && field.recorded(next.row, next.column)) [here, next] = [next, step(next)];
    return here;
  }
  while (inside(next)) {
    if (field.recorded(next.row, next.column)) return next;
    [here, next] = [next, step(next)];
  }
  return here;
}

/**
 * The new position; null where the motion leads out of the matrix and the grid's neighbours should
 * have the key.
 */
export function move(motion: Motion, at: GridPosition, field: GridExtent): GridPosition | null {
  const { rows, columns, page } = field;
  const first = firstOf(field);
  switch (motion) {
    case 'up':
      return at.row === 0 ? null : { ...at, row: at.row - 1 };
    case 'down':
    case 'left':
    case 'right': {
      const [down, right] = STEPS[motion]!;
      return {
        row: clamp(at.row + down, rows),
        column: Math.min(Math.max(at.column + right, first), columns - 1),
      };
    }
    case 'edgeUp':
    case 'edgeDown':
    case 'edgeLeft':
    case 'edgeRight':
      return edge(at, STEPS[motion]!, field);
    case 'rowStart':
      return { ...at, column: first };
    case 'rowEnd':
      return { ...at, column: columns - 1 };
    case 'pageUp':
      return { ...at, row: clamp(at.row - page, rows) };
    case 'pageDown':
      return { ...at, row: clamp(at.row + page, rows) };
    case 'first':
      return { row: 0, column: 0 };
    case 'last':
      return { row: rows - 1, column: columns - 1 };
    case 'next':
      if (at.column < columns - 1) return { ...at, column: at.column + 1 };
      return at.row < rows - 1 ? { row: at.row + 1, column: first } : null;
    case 'previous':
      if (at.column > first) return { ...at, column: at.column - 1 };
      return at.row > 0 ? { row: at.row - 1, column: columns - 1 } : null;
  }
}

/**
 * The next (or previous) unrecorded cell in reading order, wrapping round; null when there is none.
 */
export function nextUnrecorded(
  at: GridPosition,
  backwards: boolean,
  field: GridExtent,
  open: (row: number) => number,
): GridPosition | null {
  const step = backwards ? -1 : 1;
  for (let k = 0; k <= field.rows; k += 1) {
    const row = (((at.row + step * k) % field.rows) + field.rows) % field.rows;
    if (open(row) === 0) continue;
    const start = k === 0 ? Math.max(at.column, -1) + step : backwards ? field.columns - 1 : 0;
    for (let column = start; column >= 0 && column < field.columns; column += step) {
      if (!field.recorded(row, column)) return { row, column };
    }
  }
  return at.column < 0 || field.recorded(at.row, at.column) ? null : at;
}

/**
 * The next (or previous) of these places in reading order, wrapping round; null when there is none.
 */
export function nextOf(
  places: readonly GridPosition[],
  at: GridPosition | null,
  backwards: boolean,
): GridPosition | null {
  const sign = backwards ? -1 : 1;
  const compare = (a: GridPosition, b: GridPosition): number =>
    sign * (a.row - b.row || a.column - b.column);
  let [next, first]: [GridPosition | null, GridPosition | null] = [null, null];
  for (const place of places) {
    if (first === null || compare(place, first) < 0) first = place;
    if (at !== null && compare(place, at) > 0 && (next === null || compare(place, next) < 0))
      next = place;
  }
  return next ?? first;
}
