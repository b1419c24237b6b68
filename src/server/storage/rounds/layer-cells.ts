import type { LayerCell } from '../../../shared/contract/v1/rounds.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import { entryName, parseEntryName } from '../../../sync/change.ts';
import {
  applyEntry,
  displayedHead,
  EMPTY_REGISTER,
  type RegisterState,
} from '../../../sync/heads.ts';
import type { RegisterCell } from '../../../sync/register.ts';
import type { RecorderLayer } from './read-layer.ts';

interface Shown {
  cell: RegisterCell;
  outcome?: { name: string; value: Assertion; at: string };
  notes?: { value: string | null; at: string };
}

/** What each cell of a layer shows to whoever may read it, later changes included. */
function shownCells({ changes }: RecorderLayer): Shown[] {
  const states = new Map<string, RegisterState>();
  const said = new Map<string, { cell: RegisterCell; value: unknown; at: string }>();
  for (const { id, hlc, receivedAt, entries } of changes)
    for (const [index, { register, reg, parents, value }] of entries.entries()) {
      if (register?.kind !== 'assertion' && register?.kind !== 'notes') continue;
      const name = entryName(id, index);
      said.set(name, { cell: register, value, at: receivedAt });
      const before = states.get(reg) ?? EMPTY_REGISTER;
      states.set(
        reg,
        applyEntry(before, { name, hlc }, parents, () => false),
      );
    }
  const cells = new Map<string, Shown>();
  for (const [reg, state] of states) {
    const name = displayedHead(state)?.name ?? '';
    const head = said.get(name);
    if (head === undefined) continue;
    const { cell, value, at } = head;
    const key = reg.slice(reg.indexOf('/'));
    const shown: Shown = cells.get(key) ?? { cell };
    if (reg.startsWith('a/')) shown.outcome = { name, value: value as Assertion, at };
    else shown.notes = { value: value as string | null, at };
    cells.set(key, shown);
  }
  return [...cells.values()];
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const later = (a = '', b = ''): string => (a < b ? b : a);

/** The cells of a layer in order of item and rule; one that was cleared is unrecorded again. */
export function cellsOf(layer: RecorderLayer): LayerCell[] {
  return shownCells(layer)
    .map(({ cell, outcome, notes }): LayerCell => {
      const { raw_outcome = null, source_value, provenance } = outcome?.value ?? {};
      return {
        recorder: layer.recorder as LayerCell['recorder'],
        entry: outcome?.name ?? null,
        item_uid: cell.item,
        rule_uid: cell.rule,
        raw_outcome,
        source_value: source_value ?? null,
        notes: notes?.value ?? null,
        provenance: provenance ?? null,
        updated_at: later(outcome?.at, notes?.at),
        committed:
          outcome !== undefined && layer.committed.ids.has(parseEntryName(outcome.name)?.id ?? ''),
      };
    })
    .filter(
      ({ raw_outcome, source_value, notes, provenance }) =>
        raw_outcome !== null || source_value !== null || notes !== null || provenance !== null,
    )
    .sort((a, b) => inOrder(a.item_uid, b.item_uid) || inOrder(a.rule_uid, b.rule_uid));
}
