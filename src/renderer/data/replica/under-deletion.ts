import { readCovers } from '../../../sync/covers.ts';
import type { HeadRef } from '../store/db.ts';
import type { ReplicaState } from './replica-state.ts';
import type { Target } from './registers.ts';

/**
 * Every register of an item in which something was written. The item's position is left out, since
 * nobody loses anything by its being hidden.
 */
function* beneath(state: ReplicaState, itemIndex: number): Generator<[Target, HeadRef]> {
  const { columns, ref, index } = state.store;
  for (let cell = itemIndex * columns; cell < (itemIndex + 1) * columns; cell += 1) {
    if ((ref[cell] ?? 0) !== 0) yield [{ kind: 'assertion', cell }, [ref[cell]!, index[cell]!]];
    const notes = state.details.get(cell)?.notesHead ?? null;
    if (notes !== null) yield [{ kind: 'notes', cell }, notes];
  }
  for (const field of ['item_type', 'label', 'metadata'] as const) {
    const head = state.items[itemIndex]?.heads[field];
    if (head !== undefined) yield [{ kind: 'item', itemIndex, field }, head];
  }
}

/** All heads that a deletion made now would cover, those that are not displayed included. */
export function headsBeneath(state: ReplicaState, itemIndex: number): HeadRef[] {
  const heads: HeadRef[] = [];
  for (const [target, head] of beneath(state, itemIndex)) {
    heads.push(head);
    if (!state.conflicts.isEmpty)
      for (const { ref, index } of state.conflicts.heads(target).slice(1)) heads.push([ref, index]);
  }
  return heads;
}

/**
 * Registers of a removed item that were written by somebody who did not know of the removal. None
 * where the item is shown, or where its deletion does not say what it covers.
 */
export function editsUnder(state: ReplicaState, itemIndex: number): Target[] {
  const item = state.items[itemIndex];
  if (item === undefined || item.exists || item.covers === undefined) return [];
  const covers = new Map(
    [...readCovers(item.covers)].map(([id, ranges]) => [state.changeIds.find(id) ?? -1, ranges]),
  );
  const own = item.heads['x']?.[0];
  const isCovered = ([ref, index]: HeadRef): boolean =>
    ref === own || (covers.get(ref)?.some(([from, to]) => index >= from && index <= to) ?? false);
  const edits: Target[] = [];
  for (const [target, head] of beneath(state, itemIndex)) {
    if (
      !isCovered(head) ||
      (!state.conflicts.isEmpty &&
        state.conflicts.heads(target).some(({ ref, index }) => !isCovered([ref, index])))
    )
      edits.push(target);
  }
  return edits;
}
