import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { type BesideKind, besideOf, isOfItem } from '../../../sync/layers/record.ts';
import { entryName, type SealedChange } from '../../../sync/change.ts';
import { appliedRegister, type NamedDocument } from '../../../sync/status.ts';
import type { ReplicaState } from './replica-state.ts';
import type { Target } from './registers.ts';

interface Applying {
  isNews?: (target: Target) => boolean;
  origins?: ReadonlyMap<string, RecordedBy>;
  /** It comes from elsewhere, and those who look at the matrix are told. */
  tells?: boolean;
  /** Filled with what of it stands beside the record. */
  beside?: Set<BesideKind>;
}

/**
 * Applies a change that is not applied here yet. Of an entry for another profile only the item's
 * row is used, since rows are common to all profiles (V1). Entries that this version does not
 * understand, what stands beside the record, and what `isNews` returns false for, are skipped. `by`
 * says whose the change is, and `origins` whose word its entries bring back or accept, by their
 * names; what is brought back and not there is looked up here.
 */
export function applyChange(
  state: ReplicaState,
  { id, change }: Pick<SealedChange, 'id' | 'change'>,
  by: RecordedBy,
  { isNews = () => true, origins, tells = false, beside }: Applying = {},
): void {
  const { changeIds } = state;
  const ref = changeIds.intern(id, change.hlc, true);
  changeIds.wrote(ref, by);
  for (let index = 0; index < change.entries.length; index += 1) {
    const register = appliedRegister(change, index);
    const kind = register === undefined ? undefined : besideOf(register);
    if (kind !== undefined) beside?.add(kind);
    const target = register === undefined ? undefined : state.target(register);
    if (target === undefined && register !== undefined && isOfItem(register))
      state.itemIndex(register.item);
    const entry = change.entries[index];
    if (register?.kind === 'assertion' && entry !== undefined) {
      const told = origins?.get(entryName(id, index));
      if (entry.restores !== undefined)
        changeIds.brought(ref, index, told ?? changeIds.authorOf(entry.restores));
      else if (entry.from !== undefined && told !== undefined) changeIds.brought(ref, index, told);
    }
    if (register?.kind === 'document' && entry !== undefined)
      state.nameDocument(register, entry.op, (entry.value as NamedDocument).digest);
    if (target !== undefined && entry !== undefined && isNews(target)) {
      state.conflicts.apply(target, ref, index, entry.parents, entry.value);
      if (tells && 'cell' in target) state.store.heard(target.cell, by);
    }
  }
}
