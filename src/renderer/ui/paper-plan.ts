/** Columns side by side in one part of a printed matrix. */
const BAND = 24;
/** Cells of a printed matrix at most: more would be a hundred pages that nobody reads. */
const MAX_CELLS = 40_000;

export interface PaperPlan {
  /** Rows that are printed. */
  rows: number;
  /** Columns of each part. */
  bands: { from: number; to: number }[];
}

/** How a matrix is laid out on paper. */
export function planPaper(rows: number, columns: number): PaperPlan {
  return {
    rows: Math.min(rows, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns)))),
    bands: Array.from({ length: Math.ceil(columns / BAND) }, (_, band) => ({
      from: band * BAND,
      to: Math.min(columns, (band + 1) * BAND),
    })),
  };
}
