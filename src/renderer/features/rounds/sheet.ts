import type { RawOutcome } from '../../../shared/domain/outcome.ts';

/** What a recorder has recorded of a cell. */
export interface SheetCell {
  raw_outcome: RawOutcome | null;
  source_value: string | null;
  notes: string | null;
}
export interface SheetChange extends Partial<SheetCell> {
  item_uid: string;
  rule_uid: string;
}
export interface SheetState {
  cells: ReadonlyMap<string, SheetCell>;
  /** Changes that the server has not confirmed. */
  unsaved: number;
  /** Why the last try to save them failed. */
  failure: unknown;
}

const NOTHING: SheetCell = { raw_outcome: null, source_value: null, notes: null };

export const cellKey = (item: string, rule: string): string => JSON.stringify([item, rule]);

/** An outcome that replaces another one starts without its proof; notes stay. */
function applied(cell: SheetCell, { raw_outcome, source_value, notes }: SheetChange): SheetCell {
  const isOther = raw_outcome !== undefined && raw_outcome !== cell.raw_outcome;
  return {
    raw_outcome: raw_outcome === undefined ? cell.raw_outcome : raw_outcome,
    source_value: source_value === undefined ? (isOther ? null : cell.source_value) : source_value,
    notes: notes === undefined ? cell.notes : notes,
  };
}

/**
 * What is sent of a cell: outcome and source together, so that neither stands beside one of an
 * earlier try, and notes; of these what was changed here, since the same person may record the rest
 * in another window.
 */
export interface SentCell extends Partial<SheetCell> {
  item_uid: string;
  rule_uid: string;
  /** Given where the outcome was another one in between: its provenance has ended with it. */
  provenance?: null;
}
interface PendingCell {
  item_uid: string;
  rule_uid: string;
  hasOutcome: boolean;
  hasNotes: boolean;
  hadOther: boolean;
}

const both = (cell: PendingCell, earlier: PendingCell | undefined): PendingCell => ({
  ...cell,
  hasOutcome: cell.hasOutcome || earlier?.hasOutcome === true,
  hasNotes: cell.hasNotes || earlier?.hasNotes === true,
  hadOther: cell.hadOther || earlier?.hadOther === true,
});

/**
 * The layer of one recorder on screen. Changes are shown at once and sent one request after the
 * other, in their order; what could not be sent stays and is sent again.
 */
export class Sheet {
  readonly #send: (cells: SentCell[]) => Promise<unknown>;
  readonly #listeners = new Set<() => void>();
  #state: SheetState;
  #pending = new Map<string, PendingCell>();
  #isSending = false;

  constructor(
    cells: ReadonlyMap<string, SheetCell>,
    send: (cells: SentCell[]) => Promise<unknown>,
  ) {
    this.#send = send;
    this.#state = { cells, unsaved: 0, failure: undefined };
  }

  get state(): SheetState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  cell(item: string, rule: string): SheetCell {
    return this.#state.cells.get(cellKey(item, rule)) ?? NOTHING;
  }

  record(change: SheetChange): void {
    const { item_uid, rule_uid, raw_outcome, source_value, notes } = change;
    const key = cellKey(item_uid, rule_uid);
    const before = this.cell(item_uid, rule_uid);
    const cells = new Map(this.#state.cells);
    cells.set(key, applied(before, change));
    const changed = {
      item_uid,
      rule_uid,
      hasOutcome: raw_outcome !== undefined || source_value !== undefined,
      hasNotes: notes !== undefined,
      hadOther: raw_outcome !== undefined && raw_outcome !== before.raw_outcome,
    };
    this.#pending.set(key, both(changed, this.#pending.get(key)));
    this.#show({ cells });
    void this.save();
  }

  /** Sends what is pending, unless that is under way. */
  async save(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#pending.size > 0) {
        const sent = this.#pending;
        this.#pending = new Map();
        try {
          await this.#send([...sent.values()].map((cell) => this.#sentOf(cell)));
        } catch (error) {
          for (const [key, cell] of sent)
            this.#pending.set(key, both(cell, this.#pending.get(key)));
          this.#show({ failure: error });
          return;
        }
        this.#show({ failure: undefined });
      }
    } finally {
      this.#isSending = false;
      this.#show({});
    }
  }

  #sentOf({ item_uid, rule_uid, hasOutcome, hasNotes, hadOther }: PendingCell): SentCell {
    const { raw_outcome, source_value, notes } = this.cell(item_uid, rule_uid);
    return {
      item_uid,
      rule_uid,
      ...(hasOutcome && { raw_outcome, source_value }),
      ...(hadOther && { provenance: null }),
      ...(hasNotes && { notes }),
    };
  }

  #show(next: Partial<SheetState>): void {
    this.#state = {
      ...this.#state,
      ...next,
      unsaved: this.#pending.size + (this.#isSending ? 1 : 0),
    };
    for (const listener of this.#listeners) listener();
  }
}
