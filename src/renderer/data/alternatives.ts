import type { Alternative, CellAddress } from './port.ts';
import type { AssertionValue, ReplicaState } from './replica-state.ts';

/** What each head of a cell says, the displayed ones first. */
export function alternativesOf(state: ReplicaState, cell: number): Alternative[] {
  const list = (['assertion', 'notes'] as const).flatMap((kind) =>
    state.heads({ kind, cell }).map(({ ref, index, value, known }, at): Alternative => {
      const { raw_outcome = null, source_value = null, provenance = null } = kind === 'assertion' && known ? (value as AssertionValue) : {};
      return { field: kind === 'notes' ? 'notes' : 'outcome', entry: state.headName([ref, index]), displayed: at === 0, known, raw_outcome, source_value, provenance, notes: kind === 'notes' && known ? (value as string | null) : null };
    }),
  );
  return list.sort((a, b) => Number(b.displayed) - Number(a.displayed));
}

/** Names of all heads of a cell's registers: what a resolve must cite. */
export function namesOfHeads(state: ReplicaState, address: CellAddress): { assertion: string[]; notes: string[] } {
  const slot = state.slots.get(address.item);
  const column = state.columns.get(address.rule);
  if (slot === undefined || column === undefined) return { assertion: [], notes: [] };
  const cell = slot * state.store.columns + column;
  const names = (kind: 'assertion' | 'notes'): string[] => state.heads({ kind, cell }).map(({ ref, index }) => state.headName([ref, index]));
  return { assertion: names('assertion'), notes: names('notes') };
}
