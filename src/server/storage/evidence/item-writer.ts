import { type CellTuple, isShown, type Stamps } from './cell-json.ts';
import type { ItemTuple } from './evidence-read.ts';

/**
 * Writes out items with their cells, each item's in column order, as pieces of text to be put
 * together once.
 */
export class ItemWriter {
  readonly #columns: ReadonlyMap<number, number>;
  readonly #ruleTexts: readonly string[];
  readonly #stamps: Stamps;

  constructor(stamps: Stamps, columns: ReadonlyMap<number, number>, rules: readonly string[]) {
    this.#columns = columns;
    this.#ruleTexts = rules.map((rule) => `,"rule_uid":${JSON.stringify(rule)}`);
    this.#stamps = stamps;
  }

  async write(
    items: readonly ItemTuple[],
    cells: readonly CellTuple[],
    pieces: string[],
  ): Promise<void> {
    await this.#stamps.load(cells);
    const rows = new Map<number, (string | undefined)[]>();
    for (const cell of cells) {
      const column = this.#columns.get(cell[1]);
      if (column === undefined || !isShown(cell)) continue;
      let row = rows.get(cell[0]);
      if (row === undefined)
        rows.set(cell[0], (row = new Array<undefined>(this.#ruleTexts.length).fill(undefined)));
      row[column] = this.#stamps.after(cell);
    }
    for (const item of items) this.#writeItem(item, rows.get(item[0]) ?? [], pieces);
  }

  #writeItem(item: ItemTuple, row: readonly (string | undefined)[], pieces: string[]): void {
    pieces.push(pieces.length === 0 ? '' : ',', itemJson(item));
    const first = `{"item_uid":${JSON.stringify(item[1])}`;
    const next = `,${first}`;
    let start = first;
    for (let column = 0; column < row.length; column += 1) {
      const after = row[column];
      if (after === undefined) continue;
      pieces.push(start, this.#ruleTexts[column] as string, after);
      start = next;
    }
    pieces.push(']}');
  }
}

/** JSON of an item up to its cells. */
function itemJson([
  ,
  uid,
  type,
  label,
  metadata,
  position,
  version,
  created,
  updated,
]: ItemTuple): string {
  return (
    `{"item_uid":${JSON.stringify(uid)},"item_type":${JSON.stringify(type)}` +
    `,"label":${JSON.stringify(label)},"metadata":${metadata},"position":${position}` +
    `,"created_at":"${created}","updated_at":"${updated}","version":${version},"evidence":[`
  );
}
