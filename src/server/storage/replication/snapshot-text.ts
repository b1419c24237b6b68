import type { ChangeIndex, ChangeInfo } from '../log/change-index.ts';
import type { DetailTuple, SnapshotItemTuple } from './snapshot-rows.ts';
import type { SnapshotChunk } from '../../../shared/contract/sync.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { acceptedBy, acceptedByName, changesOfEntries, recordedBy } from '../log/recorded-by.ts';
import { ASSERTION, NOTES } from '../log/cell-map.ts';

/** Numbers the changes that a chunk names. */
export class ChangeIdTable {
  readonly seqs: number[] = [];
  readonly #places = new Map<number, number>();

  indexOf(seq: number): number {
    let place = this.#places.get(seq);
    if (place === undefined) {
      place = this.seqs.push(seq) - 1;
      this.#places.set(seq, place);
    }
    return place;
  }
}

/**
 * Displayed heads of cells in row order, run-length coded as [name, first index, step, count]: a
 * block that was written row by row is a single run. Name -1 means no head.
 */
export function runs(
  seqs: Int32Array | Float64Array,
  indexes: Int32Array,
  names: ChangeIdTable,
): string {
  const parts: string[] = [];
  for (let start = 0; start < seqs.length;) {
    const seq = seqs[start] as number;
    const first = indexes[start] as number;
    let end = start + 1;
    const step = end < seqs.length && seqs[end] === seq ? (indexes[end] as number) - first : 0;
    while (end < seqs.length && seqs[end] === seq && indexes[end] === first + step * (end - start))
      end += 1;
    parts.push(
      seq === 0
        ? `[-1,0,0,${end - start}]`
        : `[${names.indexOf(seq)},${first},${step},${end - start}]`,
    );
    start = end;
  }
  return `[${parts.join(',')}]`;
}

export interface CellPlace {
  row: number;
  column: number;
  item: string;
  rule: string;
}

/**
 * Whose the named changes are, and the cells that show what an undo brought back or what somebody
 * accepted, with whose word that is.
 */
export async function authorsOf(
  changes: ChangeIndex,
  named: readonly ChangeInfo[],
  {
    details,
    placeOf,
  }: {
    details: readonly DetailTuple[];
    placeOf(item: number, rule: number): CellPlace;
  },
  keys: boolean,
  grid: { seqs: Float64Array; indexes: Int32Array; width: number },
): Promise<Pick<SnapshotChunk, 'authors' | 'by' | 'restored'>> {
  const authors: RecordedBy[] = [];
  const places = new Map<string, number>();
  const put = (author: RecordedBy): number => {
    const text = JSON.stringify(author);
    if (!places.has(text)) places.set(text, authors.push(author) - 1);
    return places.get(text) as number;
  };
  const by = named.map((change) => put(recordedBy(change, keys)));
  const brought = details.flatMap(([item, rule, , , , , , , , restores]) =>
    restores === null ? [] : [{ ...placeOf(item, rule), restores }],
  );
  const origins = await changesOfEntries(
    changes,
    brought.map(({ restores }) => restores),
  );
  const { acceptances } = changes;
  await acceptances.load([...named.map(({ seq }) => seq), ...origins.values()]);
  const restored = brought.flatMap(({ row, column, restores }): [number, number, number][] => {
    const seq = origins.get(restores);
    const author = acceptedByName(changes, restores, keys);
    return seq === undefined
      ? []
      : [[row, column, put(author ?? recordedBy(changes.at(seq), keys))]];
  });
  const accepted: [number, number, number][] = [];
  if (!acceptances.areNone)
    for (const [place, seq] of grid.seqs.entries()) {
      const author =
        seq === 0
          ? undefined
          : acceptedBy(changes, { seq, index: grid.indexes[place] as number }, keys);
      if (author !== undefined)
        accepted.push([Math.floor(place / grid.width), place % grid.width, put(author)]);
    }
  // What an undo brought back is as it was, whoever accepts that again.
  return { authors, by, restored: [...accepted, ...restored] };
}

/** The covers of a deletion, where it has any. */
export async function coversText(
  changes: ChangeIndex,
  head: readonly [seq: number, index: number] | undefined,
): Promise<string> {
  const value =
    head === undefined
      ? undefined
      : ((await changes.entryAt({ seq: head[0], index: head[1] })).value as { covers?: string[] });
  return value?.covers === undefined ? '' : `,"covers":${JSON.stringify(value.covers)}`;
}

export function placer(
  items: readonly SnapshotItemTuple[],
  rules: readonly string[],
  columns: ReadonlyMap<number, number>,
): (item: number, rule: number) => CellPlace {
  const rowByItem = new Map(items.map(([pk], row) => [pk, row]));
  return (item, rule) => {
    const row = rowByItem.get(item) as number;
    const column = columns.get(rule) as number;
    return {
      row,
      column,
      item: (items[row] as SnapshotItemTuple)[1],
      rule: rules[column] as string,
    };
  };
}

export function registersOf({ rule, item }: CellPlace, profile: string, bits: number): string[] {
  return [
    ...((bits & ASSERTION) === 0 ? [] : [`a/${profile}/${rule}/${item}`]),
    ...((bits & NOTES) === 0 ? [] : [`n/${profile}/${rule}/${item}`]),
  ];
}

export const hasDetail = ([, , source, provenance, notes, , notesSeq]: DetailTuple): boolean =>
  source !== null || provenance !== null || notes !== null || notesSeq !== null;

export function detailText(
  changes: ChangeIndex,
  [, , source, provenance, notes, headSeq, notesSeq, notesIndex]: DetailTuple,
  place: CellPlace,
): string {
  const last = changes.at(Math.max(headSeq ?? 0, notesSeq ?? 0));
  const notesHead =
    notesSeq === null
      ? 'null'
      : `"${changes.nameOf({ seq: notesSeq, index: notesIndex as number })}"`;
  return (
    `{"row":${place.row},"column":${place.column}` +
    `,"source_value":${JSON.stringify(source)},"notes":${JSON.stringify(notes)}` +
    `,"provenance":${provenance ?? 'null'},"notes_head":${notesHead}` +
    `,"updated_at":"${last.receivedAt}","updated_by":${JSON.stringify(last.author)}}`
  );
}
