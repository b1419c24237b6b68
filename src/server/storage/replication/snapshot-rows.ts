import type { SelectQueryBuilder } from 'kysely';
import type { StoreTables } from '../db/schema/schema.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor } from '../db/cursor.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';

const CELLS_AT_ONCE = 6_400;

const LETTERS = ['-', 'F', 'T', 'N'] as const;

export type SnapshotItemTuple = [
  pk: number,
  uid: string,
  type: string,
  label: string,
  metadata: string,
  position: number,
  deleted: number,
  heads: string,
];

type SnapshotCellTuple = [
  item: number,
  rule: number,
  raw: number,
  headSeq: number | null,
  headIndex: number | null,
];

export type DetailTuple = [
  item: number,
  rule: number,
  source: string | null,
  provenance: string | null,
  notes: string | null,
  headSeq: number | null,
  notesSeq: number | null,
  notesIndex: number | null,
  further: number,
  restores: string | null,
];

export async function readItems(
  ctx: ReadContext,
  casePk: number,
  limit: number,
  after: string | undefined,
): Promise<{ items: SnapshotItemTuple[]; next: string | null }> {
  const { session } = ctx;
  let query = session.db
    .selectFrom('items')
    .select([
      'item_pk',
      'item_uid',
      'item_type',
      'label',
      'metadata',
      'position',
      'deleted',
      'heads',
    ])
    .where('account', '=', session.account)
    .where('case_pk', '=', casePk)
    .orderBy('position')
    .orderBy('item_uid')
    .limit(limit + 1);
  if (after !== undefined) {
    const [position, uid] = readCursor('snapshot', ['number', 'string'], after) as [number, string];
    query = query
      .where(({ eb, or, and }) =>
        or([
          eb('position', '>', position),
          and([eb('position', '=', position), eb('item_uid', '>', uid)]),
        ]),
      )
      .where('position', '>=', position);
  }
  const rows = await session.rows<SnapshotItemTuple>(query);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next:
      rows.length > limit && last !== undefined
        ? writeCursor('snapshot', [last[5], last[1]])
        : null,
  };
}

interface Grid {
  raw: string;
  seqs: Float64Array;
  indexes: Int32Array;
  details: DetailTuple[];
}

/** What cells hold beside their outcome, where they hold anything. */
function detailsOf<O extends object>(
  cells: SelectQueryBuilder<StoreTables, 'cells', O>,
): SelectQueryBuilder<StoreTables, 'cells', object> {
  return cells
    .select([
      'item_pk',
      'rule_pk',
      'source_value',
      'provenance',
      'notes',
      'head_seq',
      'notes_seq',
      'notes_index',
      'further',
      'restores',
    ])
    .where(({ eb, or }) =>
      or([
        eb('source_value', 'is not', null),
        eb('provenance', 'is not', null),
        eb('notes_seq', 'is not', null),
        eb('further', '>', 0),
        eb('restores', 'is not', null),
      ]),
    );
}

export async function readGrid(
  ctx: ReadContext,
  matrix: number | undefined,
  items: readonly SnapshotItemTuple[],
  columns: ReadonlyMap<number, number>,
  width: number,
): Promise<Grid> {
  const { session } = ctx;
  const raw = Buffer.alloc(items.length * width, LETTERS[0]);
  const grid: Grid = {
    raw: '',
    seqs: new Float64Array(raw.length),
    indexes: new Int32Array(raw.length),
    details: [],
  };
  const rowByItem = new Map(items.map(([pk], row) => [pk, row]));
  const step = Math.max(1, Math.floor(CELLS_AT_ONCE / width));
  for (let start = 0; matrix !== undefined && start < items.length; start += step) {
    if (start > 0) await yieldToEventLoop();
    const pks = items.slice(start, start + step).map(([pk]) => pk);
    const some = session.db
      .selectFrom('cells')
      .where('account', '=', session.account)
      .where('matrix_pk', '=', matrix)
      .where(session.inList('item_pk', pks));
    for (const [item, rule, outcome, seq, index] of await session.rows<SnapshotCellTuple>(
      some.select(['item_pk', 'rule_pk', 'raw', 'head_seq', 'head_index']),
    )) {
      const column = columns.get(rule);
      if (column === undefined) continue;
      const place = (rowByItem.get(item) as number) * width + column;
      raw[place] = (LETTERS[outcome] as string).charCodeAt(0);
      grid.seqs[place] = seq ?? 0;
      grid.indexes[place] = index ?? 0;
    }
    for (const row of await session.rows<DetailTuple>(detailsOf(some)))
      if (columns.has(row[1])) grid.details.push(row);
  }
  grid.raw = raw.toString('latin1');
  return grid;
}
