import { entryText, jsonString, parentsText } from './author.ts';
import type { CellRow } from './cell-book.ts';
import type { Slot } from './head-book.ts';

/** The entries of one request, each with what to do in the tables once it is in the log. */
export class Gesture {
  readonly texts: string[] = [];
  readonly cells: (CellRow | undefined)[] = [];
  readonly bits: number[] = [];
  /** Entries of registers that may have several heads; these are applied one by one. */
  readonly slots = new Map<number, { slot: Slot; parent: string | null; value: unknown }>();

  /** An entry of a cell with at most one head: it is enough to note its place in the log. */
  cell(text: string, cell: CellRow, bit: number): void {
    this.texts.push(text);
    this.cells.push(cell);
    this.bits.push(bit);
  }

  entry(slot: Slot, parent: string | null, valueText: string, value: unknown): void {
    this.slots.set(this.texts.length, { slot, parent, value });
    this.texts.push(entryText(parentsText(parent), jsonString(slot.reg), valueText));
    this.cells.push(undefined);
    this.bits.push(0);
  }
}
