import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Entry } from '../../../sync/change.ts';
import { writeCovers } from '../../../sync/covers.ts';
import { formatRegister } from '../../../sync/register.ts';
import type { HeadRef } from '../store/db.ts';
import { type EntrySource, jsonBytes } from '../replica/transaction.ts';
import { EMPTY_ITEM, type ItemWrite } from '../store/item-edits.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { Target } from '../replica/registers.ts';
import type { StepRow, UndoStep } from '../replica/undo-steps.ts';
import { headsBeneath } from '../replica/under-deletion.ts';

interface Planned extends ItemWrite {
  before: unknown;
  parent: HeadRef | null;
}

function planned(state: ReplicaState, write: ItemWrite): Planned {
  const itemIndex = state.itemIndexes.get(write.item);
  if (itemIndex === undefined)
    return {
      ...write,
      parent: null,
      before: write.field === 'x' ? { deleted: true } : EMPTY_ITEM[write.field],
    };
  const target = { kind: 'item' as const, itemIndex, field: write.field };
  const planned = { ...write, parent: state.head(target), before: state.value(target) };
  const isRemoval = write.field === 'x' && (write.value as { deleted: boolean }).deleted;
  return isRemoval
    ? {
        ...planned,
        value: {
          deleted: true,
          covers: writeCovers(
            headsBeneath(state, itemIndex).map(([ref, index]) => [
              state.changeIds.id(ref) ?? '',
              index,
            ]),
          ),
        },
      }
    : planned;
}

/**
 * The row part of a command: one entry for each written field. Changes that a removal covers must
 * be encoded by now.
 */
export class ItemPlan implements EntrySource {
  readonly #state: ReplicaState;
  readonly #writes: readonly Planned[];

  constructor(state: ReplicaState, writes: readonly ItemWrite[]) {
    this.#state = state;
    this.#writes = writes.map((write) => planned(state, write));
  }

  get count(): number {
    return this.#writes.length;
  }
  at(index: number): Entry {
    const { item, field, value, parent } = this.#writes[index]!;
    return {
      op: 'set',
      parents: parent === null ? [] : [this.#state.headName(parent)],
      reg: formatRegister({ kind: 'item', field, item }),
      value,
    };
  }
  size(index: number): number {
    const { item, value } = this.#writes[index]!;
    return (
      130 +
      jsonBytes(item) +
      (typeof value === 'string' ? jsonBytes(value) : 3 * canonicalJson(value).length)
    );
  }

  get widest(): number {
    return this.count === 0 ? 0 : Infinity;
  }

  /**
   * Shows entries `from` to `to` as those of change `ref`, and notes their heads in the undo step.
   */
  show(from: number, to: number, ref: number, place: number, step: UndoStep): void {
    for (let index = from; index < to; index += 1) {
      const { item, field, value, before, parent } = this.#writes[index]!;
      const head: HeadRef = [ref, place + index - from];
      const target: Target = { kind: 'item', itemIndex: this.#state.itemIndex(item), field };
      this.#state.assign(target, ...head, value);
      this.#state.conflicts.rank(target);
      step.rows.push({ item, field, before, head, previous: parent, root: null } satisfies StepRow);
    }
  }
}
