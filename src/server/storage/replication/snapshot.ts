import type { SnapshotChunk } from '../../../shared/contract/sync.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { profileForCase } from '../records/case-profile.ts';
import { needAnyCase } from '../records/cases.ts';
import { ASSERTION, NOTES } from '../log/cell-book.ts';
import { ChangeIndex, type ChangeInfo } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor } from '../db/cursor.ts';
import { columnsByRule, findMatrix } from '../evidence/evidence-read.ts';
import { danglingNames, furtherHeads, furtherTexts } from '../log/loose-heads.ts';
import { pause } from '../db/pace.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { changesOfEntries, recordedBy } from '../log/recorded-by.ts';
import { type Witness, checkWitness, readPosition } from '../log/log-position.ts';

/** Most items and most cells of one chunk. */
const ITEMS = 256;
const CELLS = 25_600;
const CELLS_AT_ONCE = 6_400;
const LETTERS = ['-', 'F', 'T', 'N'] as const;

type ItemTuple = [
  pk: number,
  uid: string,
  type: string,
  label: string,
  metadata: string,
  position: number,
  deleted: number,
  heads: string,
];
type CellTuple = [
  item: number,
  rule: number,
  raw: number,
  headSeq: number | null,
  headIndex: number | null,
];
type DetailTuple = [
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

/** Numbers the changes that a chunk names. */
class Names {
  readonly seqs: number[] = [];
  readonly #places = new Map<number, number>();

  placeOf(seq: number): number {
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
function runs(seqs: Int32Array | Float64Array, indexes: Int32Array, names: Names): string {
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
        : `[${names.placeOf(seq)},${first},${step},${end - start}]`,
    );
    start = end;
  }
  return `[${parts.join(',')}]`;
}

async function readItems(
  ctx: ReadContext,
  casePk: number,
  limit: number,
  after: string | undefined,
): Promise<{ items: ItemTuple[]; next: string | null }> {
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
  const rows = await session.rows<ItemTuple>(query);
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

async function readGrid(
  ctx: ReadContext,
  matrix: number | undefined,
  items: readonly ItemTuple[],
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
    if (start > 0) await pause();
    const pks = session.list(items.slice(start, start + step).map(([pk]) => pk));
    const some = session.db
      .selectFrom('cells')
      .where('matrix_pk', '=', matrix)
      .where('item_pk', 'in', pks);
    for (const [item, rule, outcome, seq, index] of await session.rows<CellTuple>(
      some.select(['item_pk', 'rule_pk', 'raw', 'head_seq', 'head_index']),
    )) {
      const column = columns.get(rule);
      if (column === undefined) continue;
      const place = (rowByItem.get(item) as number) * width + column;
      raw[place] = (LETTERS[outcome] as string).charCodeAt(0);
      grid.seqs[place] = seq ?? 0;
      grid.indexes[place] = index ?? 0;
    }
    const detailed = some
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
    for (const row of await session.rows<DetailTuple>(detailed))
      if (columns.has(row[1])) grid.details.push(row);
  }
  grid.raw = raw.toString('latin1');
  return grid;
}

interface Place {
  row: number;
  column: number;
  item: string;
  rule: string;
}

/**
 * One chunk of a matrix for a replica that starts: how many items, and the JSON text of the
 * contract's `SnapshotChunk`.
 */
export async function snapshotChunk(
  ctx: ReadContext,
  account: string,
  query: MatrixQuery & { after: string | undefined },
  witness?: Witness,
  keys = true,
): Promise<{ n: number; text: string }> {
  const stored = await needAnyCase(ctx, account, query.case_uid);
  await checkWitness(ctx, stored.streamPk, witness);
  const {
    profile,
    named: isNamed,
    unsettled,
  } = await profileForCase(ctx, account, stored, query.profile_uid, query.profile_version);
  const { profileUid, version } = profile.document;
  const { rules } = profile;
  const position = await readPosition(ctx, stored.streamPk);
  const matrix = await findMatrix(ctx, stored.pk, profileUid, version);
  const { items, next } = await readItems(
    ctx,
    stored.pk,
    Math.min(ITEMS, Math.max(1, Math.floor(CELLS / rules.length))),
    query.after,
  );
  const columns = await columnsByRule(ctx, rules);
  const grid = await readGrid(ctx, matrix, items, columns, rules.length);
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  const names = new Names();
  const heads = runs(grid.seqs, grid.indexes, names);
  const itemHeads = items.map((item) => JSON.parse(item[7]) as Record<string, [number, number]>);
  const placeOf = placer(items, rules, columns);
  const stream = stored.streamPk;
  const contested = grid.details.flatMap(([item, rule, , , , , , , bits]) =>
    registersOf(placeOf(item, rule), `${profileUid}@${version}`, bits),
  );
  const further = await furtherHeads(
    ctx,
    stream,
    contested,
    items.map(([, uid]) => uid),
  );
  for (const byField of itemHeads) for (const [seq] of Object.values(byField)) names.placeOf(seq);
  for (const [, , , , , , notesSeq] of grid.details) if (notesSeq !== null) names.placeOf(notesSeq);
  for (const { seq } of further) names.placeOf(seq);
  await changes.loadSeqs(names.seqs);
  const covers: string[] = [];
  for (const [index, [, , , , , , deleted]] of items.entries())
    covers.push(deleted === 1 ? await coversText(changes, itemHeads[index]?.['x']) : '');
  const itemTexts = items.map(([, uid, type, label, metadata, place, deleted], index) => {
    const named = Object.entries(itemHeads[index] ?? {}).map(
      ([field, [seq, entry]]) => `"${field}":"${changes.nameOf({ seq, index: entry })}"`,
    );
    return `{"item_uid":${JSON.stringify(uid)},"item_type":${JSON.stringify(type)},"label":${JSON.stringify(label)},"metadata":${metadata},"position":${place},"deleted":${deleted === 1}${covers[index]},"heads":{${named.join(',')}}}`;
  });
  const details = grid.details
    .filter(hasDetail)
    .map((detail) => detailText(changes, detail, placeOf(detail[0], detail[1])));
  const furtherJson = await furtherTexts(changes, further);
  const dangling = await danglingNames(
    ctx,
    stream,
    { profile: profileUid, version, rules },
    new Set(items.map(([, uid]) => uid)),
  );
  const named = names.seqs.map((seq) => changes.at(seq));
  const authors = await authorsOf(changes, named, grid.details, placeOf, keys);
  const document = { digest: profile.entry.digest, named: isNamed, unsettled: unsettled !== null };
  const head = JSON.stringify({
    ...position,
    profile_uid: profileUid,
    profile_version: version,
    rules,
    document,
    names: named.map(({ id }) => id),
    clocks: named.map(({ hlc }) => hlc),
    ...authors,
    dangling,
  });
  const text = `${head.slice(0, -1)},"items":[${itemTexts.join(',')}],"raw":"${grid.raw}","heads":${heads},"details":[${details.join(',')}],"further":[${furtherJson.join(',')}],"next":${JSON.stringify(next)}}`;
  return { n: items.length, text };
}

/**
 * Whose the named changes are, and the cells that show what an undo brought back with whose word
 * that is.
 */
async function authorsOf(
  changes: ChangeIndex,
  named: readonly ChangeInfo[],
  details: readonly DetailTuple[],
  placeOf: (item: number, rule: number) => Place,
  keys: boolean,
): Promise<Pick<SnapshotChunk, 'authors' | 'by' | 'restored'>> {
  const authors: RecordedBy[] = [];
  const places = new Map<string, number>();
  const put = (change: ChangeInfo): number => {
    const author = recordedBy(change, keys);
    const text = JSON.stringify(author);
    if (!places.has(text)) places.set(text, authors.push(author) - 1);
    return places.get(text) as number;
  };
  const by = named.map(put);
  const brought = details.flatMap(([item, rule, , , , , , , , restores]) =>
    restores === null ? [] : [{ ...placeOf(item, rule), restores }],
  );
  const origins = await changesOfEntries(
    changes,
    brought.map(({ restores }) => restores),
  );
  const restored = brought.flatMap(({ row, column, restores }): [number, number, number][] => {
    const seq = origins.get(restores);
    return seq === undefined ? [] : [[row, column, put(changes.at(seq))]];
  });
  return { authors, by, restored };
}

/** The covers of a deletion, where it has any. */
async function coversText(
  changes: ChangeIndex,
  head: readonly [seq: number, index: number] | undefined,
): Promise<string> {
  const value =
    head === undefined
      ? undefined
      : ((await changes.entryAt({ seq: head[0], index: head[1] })).value as { covers?: string[] });
  return value?.covers === undefined ? '' : `,"covers":${JSON.stringify(value.covers)}`;
}

function placer(
  items: readonly ItemTuple[],
  rules: readonly string[],
  columns: ReadonlyMap<number, number>,
): (item: number, rule: number) => Place {
  const rowByItem = new Map(items.map(([pk], row) => [pk, row]));
  return (item, rule) => {
    const row = rowByItem.get(item) as number;
    const column = columns.get(rule) as number;
    return { row, column, item: (items[row] as ItemTuple)[1], rule: rules[column] as string };
  };
}

function registersOf({ rule, item }: Place, profile: string, bits: number): string[] {
  return [
    ...((bits & ASSERTION) === 0 ? [] : [`a/${profile}/${rule}/${item}`]),
    ...((bits & NOTES) === 0 ? [] : [`n/${profile}/${rule}/${item}`]),
  ];
}

const hasDetail = ([, , source, provenance, notes, , notesSeq]: DetailTuple): boolean =>
  source !== null || provenance !== null || notes !== null || notesSeq !== null;

function detailText(
  changes: ChangeIndex,
  [, , source, provenance, notes, headSeq, notesSeq, notesIndex]: DetailTuple,
  place: Place,
): string {
  const last = changes.at(Math.max(headSeq ?? 0, notesSeq ?? 0));
  const notesHead =
    notesSeq === null
      ? 'null'
      : `"${changes.nameOf({ seq: notesSeq, index: notesIndex as number })}"`;
  return `{"row":${place.row},"column":${place.column},"source_value":${JSON.stringify(source)},"notes":${JSON.stringify(notes)},"provenance":${provenance ?? 'null'},"notes_head":${notesHead},"updated_at":"${last.receivedAt}","updated_by":${JSON.stringify(last.author)}}`;
}
