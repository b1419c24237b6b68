import { entryText, jsonString, parentsText } from '../../../sync/change-writer.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Entry } from '../../../sync/change.ts';
import type { Register } from '../../../sync/register.ts';
import type { CellRow } from './cell-map.ts';
import type { RegisterBinding } from './head-map.ts';

/** An entry of a register that may have several heads. */
export interface BoundEntry {
  binding: RegisterBinding;
  parents: readonly string[];
  value: unknown;
  /** The entry whose value it brings back. */
  restores: string | undefined;
  /** Set where a layer has to know of it. */
  register?: Register | undefined;
}

/** The entries of one request, each with what to do in the tables once it is in the log. */
export class Gesture {
  readonly texts: string[] = [];
  readonly cells: (CellRow | undefined)[] = [];
  readonly bits: number[] = [];
  /** Entries of registers that may have several heads; these are applied one by one. */
  readonly bindings = new Map<number, BoundEntry>();
  readonly #bound = new Set<number>();
  /** What the texts say, where a layer has to know of any. */
  readonly entries: Entry[] = [];
  #hasLayers = false;

  /** An entry that no table shows. */
  text(text: string): void {
    this.texts.push(text);
    this.cells.push(undefined);
    this.bits.push(0);
  }

  /** An entry of a cell with at most one head: it is enough to note its place in the log. */
  cell(text: string, cell: CellRow, bit: number): void {
    this.texts.push(text);
    this.cells.push(cell);
    this.bits.push(bit);
  }

  entry(
    binding: RegisterBinding,
    parent: string | null,
    valueText: string,
    value: unknown,
    restores?: string,
  ): void {
    const parents = parent === null ? [] : [parent];
    this.bindings.set(this.texts.length, { binding, parents, value, restores });
    this.entries[this.texts.length] = { op: 'set', parents, reg: binding.reg, value };
    // Members in the order of their names: `restores` stands between `reg` and `value`.
    const reg =
      restores === undefined
        ? jsonString(binding.reg)
        : `${jsonString(binding.reg)},"restores":${jsonString(restores)}`;
    this.texts.push(entryText(parentsText(parent), reg, valueText));
    this.cells.push(undefined);
    this.bits.push(0);
  }

  /**
   * An entry as it stands, of a register that a layer knows of. `bound`: it is in the same change
   * as the entry before it.
   */
  whole(binding: RegisterBinding, entry: Entry, register: Register, bound = false): void {
    const { parents, value, restores } = entry;
    if (bound) this.#bound.add(this.texts.length);
    this.bindings.set(this.texts.length, { binding, parents, value, restores, register });
    this.#hasLayers = true;
    this.entries[this.texts.length] = entry;
    this.text(canonicalJson(entry));
  }

  /** Whether a layer has to know of any entry. */
  get hasLayers(): boolean {
    return this.#hasLayers;
  }

  isBound(index: number): boolean {
    return this.#bound.has(index);
  }
}
