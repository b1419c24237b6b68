import { text } from '../../shared/contract/common.ts';
import { MAX_ITEMS } from '../../shared/contract/v1/evidence.ts';
import { ItemUid } from '../../shared/domain/uid.ts';
import type { Entry } from '../../sync/change.ts';
import { formatRegister, type ItemField } from '../../sync/register.ts';
import { type EntrySource, jsonBytes, type Piece } from './drafts.ts';
import type { ReplicaState } from './replica-state.ts';

export interface NewItem { item_uid: string; label?: string; item_type?: string }
interface Written { item: string; field: ItemField; value: unknown; parent: readonly [number, number] | null }

const Label = text(500);
const ItemType = text(64, 1);

function problemOf(state: ReplicaState, item: NewItem, seen: ReadonlySet<string>): string | null {
  const uid = ItemUid.safeParse(item.item_uid);
  if (!uid.success) return uid.error.issues[0]?.message ?? 'Is not a usable identifier.';
  if (seen.has(item.item_uid)) return 'Is named twice.';
  const slot = state.slots.get(item.item_uid);
  if (slot !== undefined && state.items[slot]?.exists === true) return 'Is in the matrix already.';
  const label = Label.safeParse(item.label ?? '');
  if (!label.success) return `Label: ${label.error.issues[0]?.message ?? 'not usable'}`;
  const type = ItemType.safeParse(item.item_type ?? 'item');
  return type.success ? null : `Type: ${type.error.issues[0]?.message ?? 'not usable'}`;
}

/** New rows at the end. Each item is written by its existence and position, and by what is given of it. */
export class ItemPlan implements EntrySource {
  readonly #state: ReplicaState;
  readonly #written: Written[] = [];
  readonly refused: { item_uid: string; message: string }[] = [];
  added = 0;

  constructor(state: ReplicaState, items: readonly NewItem[]) {
    this.#state = state;
    const seen = new Set<string>();
    let position = 0;
    let shown = 0;
    for (const item of state.items) {
      if (!item.exists) continue;
      shown += 1;
      position = Math.max(position, Math.floor(item.position));
    }
    for (const item of items) {
      const message = problemOf(state, item, seen) ?? (shown + this.added >= MAX_ITEMS ? `A case holds at most ${MAX_ITEMS} items.` : null);
      if (message !== null) {
        this.refused.push({ item_uid: item.item_uid, message });
        continue;
      }
      seen.add(item.item_uid);
      position += 1;
      this.added += 1;
      this.#write(item.item_uid, 'x', { deleted: false });
      this.#write(item.item_uid, 'position', position);
      if (item.label !== undefined) this.#write(item.item_uid, 'label', item.label);
      if (item.item_type !== undefined) this.#write(item.item_uid, 'item_type', item.item_type);
    }
  }
  #write(item: string, field: ItemField, value: unknown): void {
    const slot = this.#state.slots.get(item);
    const parent = slot === undefined ? null : this.#state.head({ kind: 'item', slot, field });
    this.#written.push({ item, field, value, parent });
  }

  get count(): number {
    return this.#written.length;
  }
  at(index: number): Entry {
    const { item, field, value, parent } = this.#written[index] as Written;
    return { op: 'set', parents: parent === null ? [] : [this.#state.headName(parent)], reg: formatRegister({ kind: 'item', field, item }), value };
  }
  size(index: number): number {
    const { item, value } = this.#written[index] as Written;
    return 130 + jsonBytes(item) + (typeof value === 'string' ? jsonBytes(value) : 24);
  }
  apply(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      for (let index = piece.from; index < piece.to; index += 1) {
        const { item, field, value } = this.#written[index] as Written;
        this.#state.assign({ kind: 'item', slot: this.#state.slot(item), field }, piece.ref, index - piece.from, value);
      }
    }
  }
}
