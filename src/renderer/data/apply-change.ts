import type { SealedChange } from '../../sync/change.ts';
import { appliedRegister, type NamedDocument } from '../../sync/status.ts';
import type { ReplicaState, Target } from './replica-state.ts';

/**
 * Applies a change that is not applied here yet. Of an entry for another profile only the item's row is used, since rows are common to all profiles (V1).
 * Entries that this version does not understand, and those for which `isNews` returns false, are skipped.
 */
export function applyChange(state: ReplicaState, { id, change }: Pick<SealedChange, 'id' | 'change'>, isNews: (target: Target) => boolean = () => true): void {
  const ref = state.names.intern(id, change.hlc, true);
  for (let index = 0; index < change.entries.length; index += 1) {
    const register = appliedRegister(change, index);
    const target = register === undefined ? undefined : state.target(register);
    if (target === undefined && register !== undefined && 'item' in register) state.slot(register.item);
    const entry = change.entries[index];
    if (register?.kind === 'document' && entry !== undefined) state.nameDocument(register, entry.op, (entry.value as NamedDocument).digest);
    if (target !== undefined && entry !== undefined && isNews(target)) state.apply(target, ref, index, entry.parents, entry.value);
  }
}
