import { entryText, jsonString, parentsText } from '../../../sync/change-writer.ts';
import type { CellRow } from './cell-map.ts';
import type { RegisterBinding } from './head-map.ts';

/** An entry of a register that may have several heads. */
export interface BoundEntry {
  binding: RegisterBinding;
  parent: string | null;
  value: unknown;
  /** The entry whose value it brings back. */
  restores: string | undefined;
}

/** The entries of one request, each with what to do in the tables once it is in the log. */
export class Gesture {
  readonly texts: string[] = [];
  readonly cells: (CellRow | undefined)[] = [];
  readonly bits: number[] = [];
  /** Entries of registers that may have several heads; these are applied one by one. */
  readonly bindings = new Map<number, BoundEntry>();

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
    this.bindings.set(this.texts.length, { binding, parent, value, restores });
    // Members in the order of their names: `restores` stands between `reg` and `value`.
    const reg =
      restores === undefined
        ? jsonString(binding.reg)
        : `${jsonString(binding.reg)},"restores":${jsonString(restores)}`;
    this.texts.push(entryText(parentsText(parent), reg, valueText));
    this.cells.push(undefined);
    this.bits.push(0);
  }
}
