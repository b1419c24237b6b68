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

/** What is sent of a cell: all of it, so that no order of tries leaves a part of an earlier one. */
export interface SentCell extends SheetCell {
  item_uid: string;
  rule_uid: string;
  /** Given where the outcome was another one in between: its provenance has ended with it. */
  provenance?: null;
}
interface PendingCell {
  item_uid: string;
  rule_uid: string;
  hadOther: boolean;
}

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
    const { item_uid, rule_uid, raw_outcome } = change;
    const key = cellKey(item_uid, rule_uid);
    const before = this.cell(item_uid, rule_uid);
    const cells = new Map(this.#state.cells);
    cells.set(key, applied(before, change));
    const isOther = raw_outcome !== undefined && raw_outcome !== before.raw_outcome;
    const hadOther = isOther || this.#pending.get(key)?.hadOther === true;
    this.#pending.set(key, { item_uid, rule_uid, hadOther });
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
          await this.#send(
            [...sent.values()].map(({ item_uid, rule_uid, hadOther }) => ({
              item_uid,
              rule_uid,
              ...this.cell(item_uid, rule_uid),
              ...(hadOther && { provenance: null }),
            })),
          );
        } catch (error) {
          for (const [key, cell] of sent) {
            const hadOther = cell.hadOther || this.#pending.get(key)?.hadOther === true;
            this.#pending.set(key, { ...cell, hadOther });
          }
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

  #show(next: Partial<SheetState>): void {
    this.#state = {
      ...this.#state,
      ...next,
      unsaved: this.#pending.size + (this.#isSending ? 1 : 0),
    };
    for (const listener of this.#listeners) listener();
  }
}
