import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { type CellState, stateOf, UNRECORDED } from '../../../shared/domain/outcome.ts';
import { type Entry, MAX_ENTRIES } from '../../../sync/change.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import { formatRegister } from '../../../sync/register.ts';
import { type EntrySource, jsonBytes } from '../replica/transaction.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { CellAddress } from '../store/port.ts';
import { InvalidPatchError } from './cell-plan.ts';
import { t } from '../../text/t.ts';

/**
 * What a person suggests for cells, or withdraws, compared with the record that is shown. It says
 * nothing of what they suggested before, which this window does not keep: the last word of a source
 * is meant.
 */
export class SuggestionPlan implements EntrySource {
  readonly #entries: readonly Entry[];
  readonly widest = Infinity;

  /** Changes on screen have to be encoded before, since suggestions name what is shown by id. */
  constructor(
    state: ReplicaState,
    source: string,
    cells: readonly CellAddress[],
    outcome: NonNullable<CellState>,
    isWithdrawn: boolean,
  ) {
    if (cells.length > MAX_ENTRIES)
      throw new InvalidPatchError(
        t('At most {most, number} cells can be suggested at once.', { most: MAX_ENTRIES }),
      );
    this.#entries = cells.flatMap(({ item, rule }) => {
      const itemIndex = state.itemIndexes.get(item);
      const column = state.columns.get(rule);
      if (itemIndex === undefined || column === undefined) return [];
      const cell = itemIndex * state.store.columns + column;
      const recorded = state.store.raw[cell] ?? UNRECORDED;
      if (stateOf(recorded) === outcome) return [];
      const value: Suggestion = {
        raw_outcome: outcome,
        basis:
          recorded === UNRECORDED
            ? null
            : state.headName([state.store.ref[cell] ?? 0, state.store.index[cell] ?? 0]),
        ...(state.document && { document: state.document.digest as Suggestion['document'] }),
      };
      const { profile, version } = state;
      const reg = formatRegister({ kind: 'suggestion', source, profile, version, rule, item });
      return [{ op: 'set', parents: [], reg, value: isWithdrawn ? null : value }];
    });
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
