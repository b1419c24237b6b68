import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { stateOf, UNRECORDED } from '../../../shared/domain/outcome.ts';
import { type Entry, MAX_ENTRIES } from '../../../sync/change.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import { formatRegister } from '../../../sync/register.ts';
import { type EntrySource, jsonBytes } from '../replica/transaction.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { type CellAddress, type CellPatch, type Edit, LEAVE } from '../store/port.ts';
import { InvalidPatchError } from './cell-plan.ts';
import { t } from '../../text/t.ts';

/** Of an edit, what can be suggested: outcomes. */
export type SuggestedEdit = Pick<Edit, 'blocks' | 'cells'>;

type Wanted = CellAddress & { patch: CellPatch };

/** Each cell of an edit with what it is to say. */
function* wantedBy({ blocks = [], cells = [] }: SuggestedEdit): Generator<Wanted> {
  for (const { items, rules, states } of blocks)
    for (const [row, item] of items.entries())
      for (const [column, rule] of rules.entries()) {
        const state = states instanceof Uint8Array ? states[row * rules.length + column] : states;
        if (state !== LEAVE)
          yield {
            item,
            rule,
            patch: { raw_outcome: typeof state === 'number' ? stateOf(state) : (state ?? null) },
          };
      }
  yield* cells;
}

/**
 * What a person suggests for cells, or withdraws, compared with the record that is shown. It says
 * nothing of what they suggested before, which this window does not keep: the last word of a source
 * is meant.
 */
export class SuggestionPlan implements EntrySource {
  readonly #entries: Entry[] = [];
  readonly widest = Infinity;
  /** Cells that the edit would change otherwise: they are cleared, or get details alone. */
  readonly left: number;

  /** Changes on screen have to be encoded before, since suggestions name what is shown by id. */
  constructor(state: ReplicaState, source: string, edit: SuggestedEdit, isWithdrawn: boolean) {
    const { profile, version, document } = state;
    let left = 0;
    for (const { item, rule, patch } of wantedBy(edit)) {
      const itemIndex = state.itemIndexes.get(item);
      const column = state.columns.get(rule);
      if (itemIndex === undefined || column === undefined) continue;
      const cell = itemIndex * state.store.columns + column;
      const recorded = state.store.raw[cell] ?? UNRECORDED;
      const { raw_outcome, source_value, provenance } = patch;
      if (raw_outcome === undefined) left += 1;
      else if (stateOf(recorded) === raw_outcome) continue;
      else if (raw_outcome === null) left += 1;
      else {
        const value: Suggestion = {
          raw_outcome,
          basis:
            recorded === UNRECORDED
              ? null
              : state.headName([state.store.ref[cell] ?? 0, state.store.index[cell] ?? 0]),
          ...(typeof source_value === 'string' && { source_value }),
          ...(provenance !== undefined &&
            provenance !== null && {
              provenance: provenance as NonNullable<Suggestion['provenance']>,
            }),
          ...(document && { document: document.digest as Suggestion['document'] }),
        };
        const reg = formatRegister({ kind: 'suggestion', source, profile, version, rule, item });
        this.#entries.push({ op: 'set', parents: [], reg, value: isWithdrawn ? null : value });
        if (this.#entries.length > MAX_ENTRIES)
          throw new InvalidPatchError(
            t('At most {most, number} cells can be suggested at once.', { most: MAX_ENTRIES }),
          );
      }
    }
    this.left = left;
  }

  get count(): number {
    return this.#entries.length;
  }
  at(index: number): Entry {
    return this.#entries[index]!;
  }
  size(index: number): number {
    return jsonBytes(canonicalJson(this.at(index)));
  }
}
