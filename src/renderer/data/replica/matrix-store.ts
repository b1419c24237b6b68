import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { UNRECORDED } from '../../../shared/domain/outcome.ts';

export type StateCounts = readonly [number, number, number, number];
export type TouchedCells = readonly { row: number; column: number }[] | null;

/** Above this many touched cells a listener gets null ("everything") instead of a list. */
const MANY = 20_000;

/** More at once are no news of single cells. */
const MOST_NEWS = 500;
/** A cell that a change from elsewhere has touched. */
export interface StoreNews {
  row: number;
  column: number;
  by: RecordedBy;
}

/**
 * The cells in typed arrays: for each item and rule one outcome byte and the displayed head. An
 * item's index stays as long as the replica lives; the rows on screen are an order over these
 * indexes, so moving or hiding a row moves no cells. Counts are updated as cells change.
 */
export class MatrixStore {
  readonly columns: number;
  raw: Uint8Array<ArrayBuffer>;
  ref: Uint32Array<ArrayBuffer>;
  index: Uint16Array<ArrayBuffer>;
  itemCount = 0;
  revision = 0;
  /** Row -> item index, and item index -> row (-1: not shown). */
  order: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  rows: Int32Array<ArrayBuffer> = new Int32Array(0);
  #rowCounts: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #columnCounts: Uint32Array<ArrayBuffer>;
  #totals: Uint32Array<ArrayBuffer> = new Uint32Array(4);
  #touched: number[] | null = [];
  #listeners = new Set<(touched: TouchedCells) => void>();
  #news = new Map<number, RecordedBy>();
  #newsListeners = new Set<(news: readonly StoreNews[]) => void>();
  /** The log was read to its end: what comes from now on is news. */
  follows = false;

  constructor(columns: number, capacity = 0) {
    this.columns = columns;
    this.raw = new Uint8Array(capacity * columns).fill(UNRECORDED);
    this.ref = new Uint32Array(capacity * columns);
    this.index = new Uint16Array(capacity * columns);
    this.#columnCounts = new Uint32Array(columns * 4);
  }

  cellOf(row: number, column: number): number {
    return (this.order[row] ?? 0) * this.columns + column;
  }

  codeAt(row: number, column: number): number {
    const itemIndex = this.order[row];
    return itemIndex === undefined || column < 0 || column >= this.columns
      ? UNRECORDED
      : (this.raw[itemIndex * this.columns + column] ?? UNRECORDED);
  }

  rowCounts(row: number): StateCounts {
    return this.#four(this.#rowCounts, this.order[row] ?? -1);
  }
  columnCounts(column: number): StateCounts {
    return this.#four(this.#columnCounts, column);
  }
  totals(): StateCounts {
    return this.#four(this.#totals, 0);
  }
  #four(counts: Uint32Array, at: number): StateCounts {
    const base = at * 4;
    return [counts[base] ?? 0, counts[base + 1] ?? 0, counts[base + 2] ?? 0, counts[base + 3] ?? 0];
  }

  /** Makes room for `count` items; new cells are unrecorded. */
  grow(count: number): void {
    this.itemCount = Math.max(this.itemCount, count);
    const needed = this.itemCount * this.columns;
    if (needed <= this.raw.length) return;
    const length = Math.max(needed, Math.ceil(this.raw.length * 1.5));
    const raw = new Uint8Array(length).fill(UNRECORDED);
    raw.set(this.raw);
    const ref = new Uint32Array(length);
    ref.set(this.ref);
    const index = new Uint16Array(length);
    index.set(this.index);
    [this.raw, this.ref, this.index] = [raw, ref, index];
  }

  /** Writes a cell and its head, and keeps the counts. `publish` tells. */
  set(cell: number, code: number, ref: number, index: number): void {
    const old = this.raw[cell] ?? UNRECORDED;
    this.ref[cell] = ref;
    this.index[cell] = index;
    if (old !== code) {
      this.raw[cell] = code;
      const itemIndex = Math.floor(cell / this.columns);
      if ((this.rows[itemIndex] ?? -1) >= 0) {
        const column = cell - itemIndex * this.columns;
        this.#step(this.#rowCounts, itemIndex * 4, old, code);
        this.#step(this.#columnCounts, column * 4, old, code);
        this.#step(this.#totals, 0, old, code);
      }
    }
    this.touch(cell);
  }
  #step(counts: Uint32Array, base: number, old: number, code: number): void {
    counts[base + old] = (counts[base + old] ?? 0) - 1;
    counts[base + code] = (counts[base + code] ?? 0) + 1;
  }

  /** Puts rows in the order of `indexes` and counts again. */
  arrange(indexes: readonly number[]): void {
    this.order = Uint32Array.from(indexes);
    this.rows = new Int32Array(this.itemCount).fill(-1);
    this.#rowCounts = new Uint32Array(this.itemCount * 4);
    this.#columnCounts.fill(0);
    this.#totals.fill(0);
    const { columns, raw } = this;
    for (let row = 0; row < indexes.length; row += 1) {
      const itemIndex = indexes[row] as number;
      this.rows[itemIndex] = row;
      for (let column = 0, cell = itemIndex * columns; column < columns; column += 1, cell += 1) {
        const code = raw[cell] as number;
        this.#rowCounts[itemIndex * 4 + code] =
          (this.#rowCounts[itemIndex * 4 + code] as number) + 1;
        this.#columnCounts[column * 4 + code] =
          (this.#columnCounts[column * 4 + code] as number) + 1;
        this.#totals[code] = (this.#totals[code] as number) + 1;
      }
    }
    this.#touched = null;
  }

  touch(cell: number): void {
    if (this.#touched === null) return;
    if (this.#touched.length >= MANY) this.#touched = null;
    else this.#touched.push(cell);
  }
  touchAll(): void {
    this.#touched = null;
  }

  /** A change from elsewhere has touched a cell. `publish` tells. */
  heard(cell: number, by: RecordedBy): void {
    if (this.follows && this.#news.size <= MOST_NEWS) this.#news.set(cell, by);
  }

  /** Where a cell is shown, if it is. */
  #place(cell: number): { row: number; column: number }[] {
    const itemIndex = Math.floor(cell / this.columns);
    const row = this.rows[itemIndex] ?? -1;
    return row < 0 ? [] : [{ row, column: cell - itemIndex * this.columns }];
  }

  /** Tells listeners of everything touched since the last time. */
  publish(): void {
    const touched = this.#touched;
    if (touched?.length === 0) return;
    this.#touched = [];
    this.revision += 1;
    const cells =
      touched === null ? null : [...new Set(touched)].flatMap((cell) => this.#place(cell));
    for (const listener of [...this.#listeners]) listener(cells);
    this.#tellNews();
  }
  #tellNews(): void {
    if (this.#news.size === 0) return;
    const news = this.#news;
    this.#news = new Map();
    if (news.size > MOST_NEWS) return;
    const told = Array.from(news, ([cell, by]) =>
      this.#place(cell).map((place) => ({ ...place, by })),
    ).flat();
    for (const listener of [...this.#newsListeners]) listener(told);
  }

  subscribeNews(listener: (news: readonly StoreNews[]) => void): () => void {
    this.#newsListeners.add(listener);
    return () => void this.#newsListeners.delete(listener);
  }

  subscribe(listener: (touched: TouchedCells) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  /**
   * Takes over the listeners of `previous`, which this store replaces, and tells them that
   * everything may have changed.
   */
  succeed(previous: MatrixStore): void {
    this.#listeners = previous.#listeners;
    this.#newsListeners = previous.#newsListeners;
    this.revision = previous.revision;
    this.touchAll();
    this.publish();
  }
}
