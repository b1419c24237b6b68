import type { Evidence, Summary } from '../../../shared/contract/v1/evidence.ts';
import type { z } from 'zod';
import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { caseAndProfile } from '../records/case-profile.ts';
import type { StoredCase } from '../records/cases.ts';
import { type CellTuple, isShown, Stamps } from './cell-json.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { together } from '../db/session.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor, type Page } from '../db/cursor.ts';
import { evidenceEtag } from './evidence-etag.ts';
import type { States } from '../log/ledger.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { pause } from '../db/pace.ts';
import { hasRecordedBy } from './recorded-by-filter.ts';
import type { Database } from '../db/schema/schema.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

/** Cells read and written out in one go; one query where a page has no more. */
const CELLS_AT_ONCE = 12_000;

type ItemTuple = [
  pk: number,
  uid: string,
  type: string,
  label: string,
  metadata: string,
  position: number,
  version: number,
  created: string,
  updated: string,
];

export async function findMatrix(
  ctx: ReadContext,
  casePk: number,
  profileUid: string,
  version: string,
): Promise<number | undefined> {
  const row = await ctx.session.db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('case_pk', '=', casePk)
    .where('profile_uid', '=', profileUid)
    .where('profile_version', '=', version)
    .executeTakeFirst();
  return row?.matrix_pk;
}

/** Items in row order after a cursor, deleted ones left out. */
function itemsAfter(
  { session }: ReadContext,
  casePk: number,
  limit: number,
  cursor: string | undefined,
  has: RawBuilder<boolean> | undefined,
) {
  const all = session.db
    .selectFrom('items')
    .where('case_pk', '=', casePk)
    .where('deleted', '=', 0)
    .orderBy('position')
    .orderBy('item_uid')
    .limit(limit);
  const query = has === undefined ? all : all.where(has);
  if (cursor === undefined) return query;
  const [position, uid] = readCursor('items', ['number', 'string'], cursor) as [number, string];
  return query
    .where(({ eb, or, and }) =>
      or([
        eb('position', '>', position),
        and([eb('position', '=', position), eb('item_uid', '>', uid)]),
      ]),
    )
    .where('position', '>=', position);
}

/** A page of items, and the cursor after it. */
export async function readItems(
  ctx: ReadContext,
  casePk: number,
  limit: number,
  cursor: string | undefined,
  has?: RawBuilder<boolean>,
): Promise<{ items: ItemTuple[]; next: string | null }> {
  const rows = await ctx.session.rows<ItemTuple>(
    itemsAfter(ctx, casePk, limit + 1, cursor, has).select([
      'item_pk',
      'item_uid',
      'item_type',
      'label',
      'metadata',
      'position',
      'version',
      'created_at',
      'updated_at',
    ]),
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next:
      rows.length > limit && last !== undefined ? writeCursor('items', [last[5], last[1]]) : null,
  };
}

type TallyTuple = [rule: number, f: number, t: number, na: number];

/** Counts of the whole matrix, from the tallies of the profile's rules. */
function summarize(
  stored: StoredCase,
  profile: StoredProfile,
  tallies: readonly TallyTuple[],
  columns: ReadonlyMap<number, number>,
): z.infer<typeof Summary> {
  let [f, t, na] = [0, 0, 0];
  for (const [rule, ...counts] of tallies) {
    if (!columns.has(rule)) continue;
    f += counts[0];
    t += counts[1];
    na += counts[2];
  }
  const recorded = f + t + na;
  return {
    items: stored.itemCount,
    rules: profile.rules.length,
    recorded,
    unrecorded: stored.itemCount * profile.rules.length - recorded,
    evidence_present: f,
    problem_found: t,
    not_available: na,
  };
}

/** Column of each rule's number under a profile. */
export async function columnsByRule(
  ctx: ReadContext,
  rules: readonly string[],
): Promise<Map<number, number>> {
  const rows = await ctx.session.db
    .selectFrom('rule_names')
    .select(['rule_pk', 'rule_uid'])
    .where('rule_uid', 'in', ctx.session.list(rules))
    .execute();
  const column = new Map(rules.map((rule, index) => [rule, index]));
  return new Map(rows.map((row) => [row.rule_pk, column.get(row.rule_uid) as number]));
}

/** The number of a matrix, asked for inside of a question. */
function matrixOf({ session }: ReadContext, casePk: number, profileUid: string, version: string) {
  return session.db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('case_pk', '=', casePk)
    .where('profile_uid', '=', profileUid)
    .where('profile_version', '=', version);
}
type Matrix = ReturnType<typeof matrixOf>;

function readCells(
  { session }: ReadContext,
  matrix: Matrix,
  items: RawBuilder<number> | SelectQueryBuilder<Database, 'items', { item_pk: number }>,
): Promise<CellTuple[]> {
  const query = session.db
    .selectFrom('cells')
    .select([
      'item_pk',
      'rule_pk',
      'raw',
      'source_value',
      'provenance',
      'notes',
      'head_seq',
      'notes_seq',
      'revision',
      'contested',
      'restores',
    ])
    .where('matrix_pk', '=', matrix);
  return session.rows<CellTuple>(query.where('item_pk', 'in', items));
}

/**
 * Writes out items with their cells, each item's in column order, as pieces of text to be put
 * together once.
 */
class ItemWriter {
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
  return `{"item_uid":${JSON.stringify(uid)},"item_type":${JSON.stringify(type)},"label":${JSON.stringify(label)},"metadata":${metadata},"position":${position},"created_at":"${created}","updated_at":"${updated}","version":${version},"evidence":[`;
}

/**
 * One page of a case's evidence as JSON text: thousands of objects would be made only to be written
 * out. In three turns: the case and the profile, the page with its cells where they are not very
 * many, and who wrote them. Throws not_found. `etag` is unquoted and changes with any change of the
 * page's content. `keys`: whether the identifiers of keys are shown.
 */
export async function evidencePage(
  ctx: ReadContext,
  account: string,
  query: MatrixQuery,
  page: Page,
  keys = true,
): Promise<{ json: string; etag: string; value(): Evidence }> {
  const { session } = ctx;
  const [position, { stored, profile, unsettled }] = await together(
    session.db
      .selectFrom('streams')
      .select('states')
      .where('account_id', '=', account)
      .where('name', '=', query.case_uid)
      .executeTakeFirst(),
    caseAndProfile(ctx, account, query, true),
  );
  const { profileUid, version } = profile.document;
  const matrix = matrixOf(ctx, stored.pk, profileUid, version);
  const has =
    query.recorded_by &&
    hasRecordedBy(ctx, stored, { profileUid, version, rules: profile.rules }, query.recorded_by);
  const shown =
    page.limit * profile.rules.length > CELLS_AT_ONCE
      ? undefined
      : itemsAfter(ctx, stored.pk, page.limit, page.cursor, has).select('item_pk');
  const [{ items, next }, columns, tallies, cells] = await together(
    readItems(ctx, stored.pk, page.limit, page.cursor, has),
    columnsByRule(ctx, profile.rules),
    session.rows<TallyTuple>(
      session.db
        .selectFrom('tallies')
        .select(['rule_pk', 'n_false', 'n_true', 'n_na'])
        .where('matrix_pk', '=', matrix),
    ),
    shown === undefined ? Promise.resolve(undefined) : readCells(ctx, matrix, shown),
  );
  const writer = new ItemWriter(
    new Stamps(new ChangeIndex(ctx.session, stored.streamPk), keys),
    columns,
    profile.rules,
  );
  const pieces: string[] = [];
  const step =
    cells === undefined
      ? Math.max(1, Math.floor(CELLS_AT_ONCE / profile.rules.length))
      : items.length;
  for (let start = 0; start < items.length; start += step) {
    if (start > 0) await pause();
    const part = items.slice(start, start + step);
    await writer.write(
      part,
      cells ?? (await readCells(ctx, matrix, session.list(part.map(([pk]) => pk)))),
      pieces,
    );
  }
  const head = `{"case_uid":${JSON.stringify(stored.record.case_uid)},${stored.deleted ? '"deleted":true,' : ''}"profile_uid":"${profileUid}","profile_version":"${version}","profile_digest":"${profile.entry.digest}"${unsettled === null ? '' : ',"profile_unsettled":true'},"rules":${JSON.stringify(profile.rules)}`;
  const json = `${head},"items":[${pieces.join('')}],"summary":${JSON.stringify(summarize(stored, profile, tallies, columns))},"next_cursor":${JSON.stringify(next)}}`;
  return {
    json,
    etag: evidenceEtag(ctx, JSON.parse(position!.states) as States, profile, [
      page.limit,
      page.cursor ?? null,
      keys,
      unsettled,
      ...(query.recorded_by === undefined
        ? []
        : [JSON.stringify([query.recorded_by.kind ?? null, query.recorded_by.name ?? null])]),
      ...(stored.deleted ? ['deleted'] : []),
    ]),
    value: () => JSON.parse(json) as Evidence,
  };
}
