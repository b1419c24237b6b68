import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Entry } from '../../sync/change.ts';
import { formatRegister } from '../../sync/register.ts';
import type { HeadRef } from './db.ts';
import { type EntrySource, jsonBytes, type Piece } from './drafts.ts';
import type { ItemWrite } from './item-edits.ts';
import type { ReplicaState } from './replica-state.ts';

/** The rows of a gesture: one entry a field written. */
export class ItemPlan implements EntrySource {
  readonly #state: ReplicaState;
  readonly #writes: readonly (ItemWrite & { parent: HeadRef | null })[];

  constructor(state: ReplicaState, writes: readonly ItemWrite[]) {
    this.#state = state;
    this.#writes = writes.map((write) => {
      const slot = state.slots.get(write.item);
      return { ...write, parent: slot === undefined ? null : state.head({ kind: 'item', slot, field: write.field }) };
    });
  }

  get count(): number {
    return this.#writes.length;
  }
  at(index: number): Entry {
    const { item, field, value, parent } = this.#writes[index]!;
    return { op: 'set', parents: parent === null ? [] : [this.#state.headName(parent)], reg: formatRegister({ kind: 'item', field, item }), value };
  }
  size(index: number): number {
    const { item, value } = this.#writes[index]!;
    return 130 + jsonBytes(item) + (typeof value === 'string' ? jsonBytes(value) : 3 * canonicalJson(value).length);
  }
  apply(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      for (let index = piece.from; index < piece.to; index += 1) {
        const { item, field, value } = this.#writes[index]!;
        this.#state.assign({ kind: 'item', slot: this.#state.slot(item), field }, piece.ref, index - piece.from, value);
      }
    }
  }
}
