import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import { profileForCase } from '../records/case-profile.ts';
import { needAnyCase } from '../records/cases.ts';
import { ChangeIndex } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import { columnsByRule } from '../evidence/evidence-read.ts';
import { findMatrix } from '../records/matrices.ts';
import { conflictingHeadsOf, missingParents, textsOfHeads } from '../log/conflicting-heads.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { type Witness, checkWitness, readPosition } from '../log/log-position.ts';
import { readItems, readGrid, type SnapshotItemTuple, type DetailTuple } from './snapshot-rows.ts';
import {
  ChangeIdTable,
  runs,
  authorsOf,
  coversText,
  placer,
  registersOf,
  hasDetail,
  detailText,
  type CellPlace,
} from './snapshot-text.ts';

/** Most items and most cells of one chunk. */
const ITEMS = 256;
const CELLS = 25_600;

/**
 * One chunk of a matrix for a replica that starts: how many items, and the JSON text of the
 * contract's `SnapshotChunk`.
 */
export async function snapshotChunk(
  ctx: ReadContext,
  account: AccountId,
  query: Omit<MatrixQuery, 'case_uid'> & { case_uid: StreamName; after: string | undefined },
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
  const { grid, rows } = await readRows(ctx, matrix, items, rules);
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  const names = new ChangeIdTable();
  const heads = runs(grid.seqs, grid.indexes, names);
  const conflicting = await readConflicting(ctx, stored.streamPk, rows, `${profileUid}@${version}`);
  nameHeads(names, rows, conflicting);
  await changes.loadSeqs(names.seqs);
  const texts = await textsOf(changes, rows, conflicting);
  const dangling = await missingParents(
    ctx,
    stored.streamPk,
    { profile: profileUid, version, rules },
    new Set(items.map(([, uid]) => uid)),
  );
  const named = names.seqs.map((seq) => changes.at(seq));
  const authors = await authorsOf(changes, named, rows, keys, { ...grid, width: rules.length });
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
  const text =
    `${head.slice(0, -1)},"items":[${texts.items}],"raw":"${grid.raw}","heads":${heads}` +
    `,"details":[${texts.details}],"further":[${texts.further}],"next":${JSON.stringify(next)}}`;
  return { n: items.length, text };
}

type ItemHeads = Record<string, [seq: number, index: number]>;

/** What a chunk is written from. */
interface ChunkRows {
  items: readonly SnapshotItemTuple[];
  /** Of each item, by field. */
  heads: readonly ItemHeads[];
  details: readonly DetailTuple[];
  placeOf(item: number, rule: number): CellPlace;
}

async function readRows(
  ctx: ReadContext,
  matrix: number | undefined,
  items: readonly SnapshotItemTuple[],
  rules: readonly string[],
): Promise<{ grid: Awaited<ReturnType<typeof readGrid>>; rows: ChunkRows }> {
  const columns = await columnsByRule(ctx, rules);
  const grid = await readGrid(ctx, matrix, items, columns, rules.length);
  const rows: ChunkRows = {
    items,
    heads: items.map((item) => JSON.parse(item[7]) as ItemHeads),
    details: grid.details,
    placeOf: placer(items, rules, columns),
  };
  return { grid, rows };
}

function readConflicting(
  ctx: ReadContext,
  stream: number,
  { items, details, placeOf }: ChunkRows,
  profile: string,
): ReturnType<typeof conflictingHeadsOf> {
  const contested = details.flatMap(([item, rule, , , , , , , bits]) =>
    registersOf(placeOf(item, rule), profile, bits),
  );
  return conflictingHeadsOf(
    ctx,
    stream,
    contested,
    items.map(([, uid]) => uid),
  );
}

/** Numbers every change that the chunk names beside the displayed heads of its cells. */
function nameHeads(
  names: ChangeIdTable,
  { heads, details }: ChunkRows,
  conflicting: readonly { seq: number }[],
): void {
  for (const byField of heads) for (const [seq] of Object.values(byField)) names.indexOf(seq);
  for (const [, , , , , , notesSeq] of details) if (notesSeq !== null) names.indexOf(notesSeq);
  for (const { seq } of conflicting) names.indexOf(seq);
}

async function textsOf(
  changes: ChangeIndex,
  rows: ChunkRows,
  conflicting: Awaited<ReturnType<typeof conflictingHeadsOf>>,
): Promise<Record<'items' | 'details' | 'further', string>> {
  const items = await textsOfItems(changes, rows);
  const details = rows.details
    .filter(hasDetail)
    .map((detail) => detailText(changes, detail, rows.placeOf(detail[0], detail[1])));
  return {
    items: items.join(','),
    details: details.join(','),
    further: (await textsOfHeads(changes, conflicting)).join(','),
  };
}

async function textsOfItems(changes: ChangeIndex, { items, heads }: ChunkRows): Promise<string[]> {
  const covers: string[] = [];
  for (const [index, [, , , , , , deleted]] of items.entries())
    covers.push(deleted === 1 ? await coversText(changes, heads[index]?.['x']) : '');
  return items.map(([, uid, type, label, metadata, place, deleted], index) => {
    const named = Object.entries(heads[index] ?? {}).map(
      ([field, [seq, entry]]) => `"${field}":"${changes.nameOf({ seq, index: entry })}"`,
    );
    return (
      `{"item_uid":${JSON.stringify(uid)},"item_type":${JSON.stringify(type)}` +
      `,"label":${JSON.stringify(label)},"metadata":${metadata},"position":${place}` +
      `,"deleted":${deleted === 1}${covers[index]},"heads":{${named.join(',')}}}`
    );
  });
}
