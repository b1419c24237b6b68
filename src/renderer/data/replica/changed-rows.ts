import {
  BLOCK_ITEMS,
  type BlockRow,
  type ContestedRow,
  type DetailsRow,
  type ItemRecord,
  type ItemsRow,
  type StoredDetail,
} from '../store/db.ts';
import type { MatrixStore } from './matrix-store.ts';
import type { RegisterHeads } from './registers.ts';

/**
 * Replica rows that have changed, copied at the moment of the change, so that what is written later
 * is what was shown then.
 */
export interface ReplicaRows {
  /** How many numbers had been given out then (see change-ids.ts). */
  changeIds: number;
  blocks: BlockRow[];
  items: ItemsRow[];
  details: DetailsRow[];
  detailsGone: [string, number][];
  contested: ContestedRow[];
  contestedGone: [string, string][];
  /** Contested cells. */
  review: number;
}

/** What of a replica is stored. */
interface StoredState {
  readonly id: string;
  readonly store: MatrixStore;
  readonly items: readonly ItemRecord[];
  readonly details: ReadonlyMap<number, StoredDetail>;
  readonly conflicts: {
    readonly registers: ReadonlyMap<string, RegisterHeads>;
    readonly cells: ReadonlySet<number>;
  };
  readonly changeIds: { readonly size: number };
}

/** Which rows of the stored replica differ from memory. */
export class ChangedRows {
  readonly #blocks = new Set<number>();
  readonly #items = new Set<number>();
  readonly #details = new Set<number>();
  readonly #registers = new Set<string>();

  cells(itemIndex: number): void {
    this.#blocks.add(Math.floor(itemIndex / BLOCK_ITEMS));
  }
  item(itemIndex: number): void {
    this.#items.add(Math.floor(itemIndex / BLOCK_ITEMS));
  }
  details(itemIndex: number): void {
    this.#details.add(itemIndex);
  }
  register(address: string): void {
    this.#registers.add(address);
  }

  all({ items, details, store, conflicts }: StoredState): void {
    for (let block = 0; block * BLOCK_ITEMS < items.length; block += 1) {
      this.#blocks.add(block);
      this.#items.add(block);
    }
    for (const cell of details.keys()) this.#details.add(Math.floor(cell / store.columns));
    for (const address of conflicts.registers.keys()) this.#registers.add(address);
  }

  /** The rows that changed since the last call. */
  take(state: StoredState): ReplicaRows {
    const { id: matrix, conflicts } = state;
    const details = this.#detailRows(state);
    const registers = [...this.#registers];
    const rows: ReplicaRows = {
      changeIds: state.changeIds.size,
      blocks: this.#blockRows(state),
      items: Array.from(this.#items, (block) => ({
        matrix,
        block,
        items: state.items
          .slice(block * BLOCK_ITEMS, (block + 1) * BLOCK_ITEMS)
          .map((item) => ({ ...item })),
      })),
      details: details.filter(({ cells }) => Object.keys(cells).length > 0),
      detailsGone: details.flatMap(({ slot, cells }): [string, number][] =>
        Object.keys(cells).length > 0 ? [] : [[matrix, slot]],
      ),
      contested: registers.flatMap((register) => {
        const heads = conflicts.registers.get(register);
        return heads === undefined
          ? []
          : [{ matrix, register, others: [...heads.others], cited: [...heads.cited] }];
      }),
      contestedGone: registers.flatMap((register): [string, string][] =>
        conflicts.registers.has(register) ? [] : [[matrix, register]],
      ),
      review: conflicts.cells.size,
    };
    for (const set of [this.#blocks, this.#items, this.#details, this.#registers]) set.clear();
    return rows;
  }

  #blockRows({ id: matrix, store, items }: StoredState): BlockRow[] {
    const { columns } = store;
    return Array.from(this.#blocks, (block) => {
      const from = block * BLOCK_ITEMS * columns;
      const to = Math.min(items.length, (block + 1) * BLOCK_ITEMS) * columns;
      return {
        matrix,
        block,
        raw: store.raw.slice(from, to),
        ref: store.ref.slice(from, to),
        index: store.index.slice(from, to),
      };
    });
  }

  #detailRows({ id: matrix, store, details }: StoredState): DetailsRow[] {
    const { columns } = store;
    return Array.from(this.#details, (itemIndex) => {
      const cells: Record<number, StoredDetail> = {};
      for (let column = 0; column < columns; column += 1) {
        const detail = details.get(itemIndex * columns + column);
        if (detail !== undefined) cells[column] = detail;
      }
      return { matrix, slot: itemIndex, cells };
    });
  }
}
