interface PlacedRow {
  uid: string;
  position: number | null;
  before: PlacedRow | null;
  after: PlacedRow | null;
}

const LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * The order of all rows of a case, removed ones included, while a command places some of them.
 * Placed rows get their positions at the end: each stretch of them gets numbers between its
 * neighbours, or takes in as many neighbours as it needs to find room.
 */
export class RowOrder {
  readonly #rows = new Map<string, PlacedRow>();
  readonly #placed = new Set<PlacedRow>();
  #last: PlacedRow | null = null;

  /** Rows by position, then by uid. */
  constructor(rows: Iterable<{ item_uid: string; position: number }>) {
    for (const { item_uid, position } of rows)
      this.#link({ uid: item_uid, position, before: null, after: null }, null);
  }

  /** Places a row, new or known, before another one or at the end. */
  place(uid: string, before: string | null): void {
    const row = this.#rows.get(uid) ?? { uid, position: null, before: null, after: null };
    const next = before === null ? null : (this.#rows.get(before) ?? null);
    if (next === row) return;
    if (this.#rows.has(uid)) this.#unlink(row);
    row.position = null;
    this.#link(row, next);
    this.#placed.add(row);
  }
  /** The first row from this one on that is not one of `uids`. */
  rowFrom(uid: string, uids: ReadonlySet<string>): string | null {
    let row = this.#rows.get(uid) ?? null;
    while (row !== null && uids.has(row.uid)) row = row.after;
    return row?.uid ?? null;
  }
  /** `uids` in their present order. */
  sorted(uids: ReadonlySet<string>): string[] {
    const sorted: string[] = [];
    for (let row = this.#last; row !== null && sorted.length < uids.size; row = row.before)
      if (uids.has(row.uid)) sorted.push(row.uid);
    return sorted.reverse();
  }

  /** The new positions: of every row that was placed, and of those that had to make room. */
  positions(): Map<string, number> {
    const positions = new Map<string, number>();
    for (const row of this.#placed) {
      if (row.position !== null) continue;
      let [first, last, count] = [row, row, 1];
      let reach = 1;
      for (;;) {
        [first, last, count] = widen(first, last, count);
        const start = fit(first.before?.position ?? null, last.after?.position ?? null, count);
        if (start !== undefined) {
          for (
            let [at, index]: [PlacedRow | null, number] = [first, 0];
            at !== null && index < count;
            at = at.after, index += 1
          ) {
            at.position = start(index);
            positions.set(at.uid, at.position);
          }
          break;
        }
        for (let step = 0; step < reach; step += 1) {
          if (first.before !== null) [first, count] = [first.before, count + 1];
          if (last.after !== null) [last, count] = [last.after, count + 1];
        }
        reach *= 2;
      }
    }
    return positions;
  }

  #link(row: PlacedRow, next: PlacedRow | null): void {
    row.after = next;
    row.before = next === null ? this.#last : next.before;
    if (row.before !== null) row.before.after = row;
    if (next === null) this.#last = row;
    else next.before = row;
    this.#rows.set(row.uid, row);
  }
  #unlink(row: PlacedRow): void {
    if (row.before !== null) row.before.after = row.after;
    if (row.after === null) this.#last = row.before;
    else row.after.before = row.before;
  }
}

/** The stretch of rows without a position around this one. */
function widen(first: PlacedRow, last: PlacedRow, count: number): [PlacedRow, PlacedRow, number] {
  while (first.before !== null && first.before.position === null)
    [first, count] = [first.before, count + 1];
  while (last.after !== null && last.after.position === null)
    [last, count] = [last.after, count + 1];
  return [first, last, count];
}

/**
 * Ascending positions for `count` rows between two others; undefined where floating-point numbers
 * leave too little room.
 */
function fit(
  low: number | null,
  high: number | null,
  count: number,
): ((index: number) => number) | undefined {
  if (low === null && high === null) return (index) => index + 1;
  if (high === null) {
    const start = Math.floor(low as number);
    return start + count < LIMIT ? (index) => start + 1 + index : undefined;
  }
  if (low === null) {
    const start = Math.ceil(high) - count;
    return start > -LIMIT ? (index) => start + index : undefined;
  }
  const step = (high - low) / (count + 1);
  // Leaves a gap, so that the next row placed here does not have to renumber its neighbours.
  return step > Math.max(1, Math.abs(low), Math.abs(high)) * 2 ** -48
    ? (index) => low + step * (index + 1)
    : undefined;
}
