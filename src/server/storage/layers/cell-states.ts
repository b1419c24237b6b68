import type { Assertion } from '../../../sync/assertion.ts';
import {
  broughtBack,
  type CellView,
  type DisplayedEntry,
  type SuggestionState,
  suggestionState,
} from '../../../sync/layers/suggestions.ts';
import type { Suggestion, SuggestionDecision } from '../../../sync/layers/values.ts';
import { parseEntryName } from '../../../sync/change.ts';
import { formatRegister, type RegisterCell } from '../../../sync/register.ts';
import { RAW } from '../log/cell-map.ts';
import type { ChangeIndex, EntryPosition } from '../log/change-index.ts';
import type { SuggestionRow } from './suggestion-map.ts';

/** What the record shows in a cell. */
export interface ShownCell {
  head: EntryPosition | null;
  revision: number;
  contested: number;
  raw: number;
  sourceValue: string | null;
  /** JSON. */
  provenance: string | null;
  /** The entry that first said it, where an undo brought it back. */
  restores: string | null;
}

export const isUnrecorded = (shown: ShownCell | undefined): boolean =>
  shown === undefined || (shown.raw === 0 && shown.sourceValue === null);

/** Whether the cell is as the caller read it; cleared, it is unrecorded whatever its revision. */
export const isAsRead = (shown: ShownCell | undefined, revision: number | undefined): boolean =>
  revision === undefined ||
  revision === (shown?.revision ?? 0) ||
  (revision === 0 && isUnrecorded(shown) && (shown?.contested ?? 0) === 0);

/** How many undos of undos are followed back. */
const MAX_RESTORED = 16;

/**
 * Compares suggestions with the record (YS4, YS5). The changes of all heads must be loaded.
 * `document` is the digest of the document that the matrix names.
 */
export class CellStates {
  readonly #changes: ChangeIndex;
  readonly #document: string | undefined;

  constructor(changes: ChangeIndex, document: string | undefined) {
    this.#changes = changes;
    this.#document = document;
  }

  /** The displayed suggestion of a row; undefined where only a decision has come. */
  suggestion({
    head,
    value,
  }: Pick<SuggestionRow, 'head' | 'value'>): DisplayedEntry<Suggestion | null> | undefined {
    return head === null
      ? undefined
      : {
          name: this.#changes.nameOf(head),
          value: value === null ? null : (JSON.parse(value) as Suggestion),
        };
  }

  async view(
    row: Pick<SuggestionRow, 'cell' | 'head' | 'value' | 'decisionHead' | 'decision'>,
    shown: ShownCell | undefined,
  ): Promise<CellView> {
    const { decisionHead, decision } = row;
    const record = shown && this.#record(shown);
    const suggestion = this.suggestion(row);
    const basis = suggestion?.value?.basis ?? null;
    const isBack = shown !== undefined && shown.restores !== null && record?.name !== basis;
    return {
      suggestion,
      decision:
        decisionHead === null
          ? undefined
          : {
              name: this.#changes.nameOf(decisionHead),
              value: decision === null ? null : (JSON.parse(decision) as SuggestionDecision),
            },
      record,
      restored:
        !isBack || basis === null
          ? []
          : shown.restores === basis
            ? [basis]
            : await this.#restored(row.cell, shown),
      document: this.#document,
    };
  }

  /** The state of what the source says now. */
  async stateOf(
    row: SuggestionRow,
    shown: ShownCell | undefined,
  ): Promise<{ state: SuggestionState; view: CellView } | undefined> {
    const view = await this.view(row, shown);
    return view.suggestion && { state: suggestionState(view.suggestion, view), view };
  }

  #record({ head, raw, sourceValue, provenance }: ShownCell): CellView['record'] {
    if (head === null) return undefined;
    const value: Assertion = {
      raw_outcome: RAW[raw] ?? null,
      ...(sourceValue !== null && { source_value: sourceValue }),
      ...(provenance !== null && {
        provenance: JSON.parse(provenance) as NonNullable<Assertion['provenance']>,
      }),
    };
    return { name: this.#changes.nameOf(head), value };
  }

  /** All entries that the displayed one brings back: between it and the first there may be more. */
  async #restored(cell: RegisterCell, { head }: ShownCell): Promise<string[]> {
    if (head === null) return [];
    const reg = formatRegister({ kind: 'assertion', ...cell });
    const entry = await this.#changes.entryAt(head);
    const found = new Map<string, { reg: string; value: unknown; restores?: unknown }>();
    let named: unknown = entry.restores;
    for (let step = 0; step < MAX_RESTORED && typeof named === 'string'; step += 1) {
      const parts = parseEntryName(named);
      if (parts === undefined) break;
      await this.#changes.loadIds([parts.id]);
      const seq = this.#changes.byId(parts.id)?.seq;
      const before =
        seq === undefined ? undefined : (await this.#changes.contentOf(seq)).entries[parts.index];
      if (before === undefined || before.reg !== reg) break;
      found.set(named, before);
      named = before.restores;
    }
    return broughtBack(entry, (name) => found.get(name));
  }
}
