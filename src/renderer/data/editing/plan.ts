import type { Entry } from '../../../sync/change.ts';
import type { CellPlan } from './cell-plan.ts';
import type { EntrySource, ChangeDraft } from '../replica/transaction.ts';
import type { ItemWrite } from '../store/item-edits.ts';
import { ItemPlan } from './item-plan.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { newStep, type UndoStep } from '../replica/undo-steps.ts';

/** What one command writes, and how it is shown. */
export interface EntryPlan extends EntrySource {
  /** Shows everything with the heads that it will have, and returns the undo step for it. */
  apply(
    changes: readonly ChangeDraft[],
    about: Pick<UndoStep, 'id' | 'stack' | 'label' | 'why' | 'at'>,
  ): UndoStep;
}

/** All of one edit: what it writes of rows, then of cells. */
export class EditPlan implements EntryPlan {
  readonly #state: ReplicaState;
  readonly #rows: ItemPlan;
  readonly #cells: CellPlan;

  constructor(state: ReplicaState, writes: readonly ItemWrite[], cells: CellPlan) {
    this.#state = state;
    this.#rows = new ItemPlan(state, writes);
    this.#cells = cells;
    // Cells of new rows were planned for the next free indexes, in this order.
    for (const { item, field } of writes) if (field === 'x') state.itemIndex(item);
  }

  get count(): number {
    return this.#rows.count + this.#cells.count;
  }
  at(index: number): Entry {
    const rows = this.#rows.count;
    return index < rows ? this.#rows.at(index) : this.#cells.at(index - rows);
  }
  size(index: number): number {
    const rows = this.#rows.count;
    return index < rows ? this.#rows.size(index) : this.#cells.size(index - rows);
  }

  get widest(): number {
    return Math.max(this.#rows.widest, this.#cells.widest);
  }

  apply(
    changes: readonly ChangeDraft[],
    about: Pick<UndoStep, 'id' | 'stack' | 'label' | 'why' | 'at'>,
  ): UndoStep {
    const step = newStep(this.#state, this.#cells.cells, about);
    this.#cells.record(step);
    const rows = this.#rows.count;
    for (const { from, to, ref } of changes) {
      const split = Math.min(to, Math.max(from, rows));
      this.#rows.show(from, split, ref, 0, step);
      this.#cells.show(split - rows, to - rows, ref, split - from, step);
    }
    return step;
  }
}
