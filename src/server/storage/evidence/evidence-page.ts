import type { AccountId, ProfileUid, StreamName } from '../../../shared/contract/ids.ts';
import type { RawBuilder } from 'kysely';
import type { z } from 'zod';
import type { Evidence, Summary } from '../../../shared/contract/v1/evidence.ts';
import { caseAndProfile, type CaseProfileDocument } from '../records/case-profile.ts';
import type { StoredCase } from '../records/cases.ts';
import { type CellTuple, Stamps } from './cell-json.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { pipelined } from '../db/session.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import type { Page } from '../db/cursor.ts';
import { evidenceEtag } from './evidence-etag.ts';
import { columnsByRule, itemsAfter, type ItemTuple, readItems } from './evidence-read.ts';
import { ItemWriter } from './item-writer.ts';
import { type HiddenCells, hiddenCells } from '../rounds/hidden-cells.ts';
import { hidingSql } from '../rounds/hiding-sql.ts';
import type { States } from '../log/change-log.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { itemsWanted } from './page-filter.ts';
import type { Placeholders } from '../db/placeholder.ts';
import type { StoredProfile } from '../db/stored-profile.ts';

/** Cells read and written out in one go; one query where a page has no more. */
const CELLS_AT_ONCE = 12_000;

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

/** The number of a matrix, asked for inside of a question. */
function matrixOf(
  { session }: ReadContext,
  casePk: number,
  profileUid: ProfileUid,
  version: string,
) {
  return session.db
    .selectFrom('matrices')
    .select('matrix_pk')
    .where('account', '=', session.account)
    .where('case_pk', '=', casePk)
    .where('profile_uid', '=', profileUid)
    .where('profile_version', '=', version);
}
type Matrix = ReturnType<typeof matrixOf>;

function readCells(
  { session }: ReadContext,
  matrix: Matrix,
  ofItems: RawBuilder<boolean>,
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
      'head_index',
    ])
    .where('account', '=', session.account)
    .where('matrix_pk', '=', matrix);
  return session.rows<CellTuple>(query.where(ofItems));
}

function readTallies({ session }: ReadContext, matrix: Matrix): Promise<TallyTuple[]> {
  return session.rows<TallyTuple>(
    session.db
      .selectFrom('tallies')
      .select(['rule_pk', 'n_false', 'n_true', 'n_na'])
      .where('account', '=', session.account)
      .where('matrix_pk', '=', matrix),
  );
}

/** Tells of a cell of the page at hand. */
type CellTest = (cell: CellTuple) => boolean;

/** Whether a cell of these items is hidden from the caller. */
function hiddenOf(
  hidden: HiddenCells | undefined,
  { document, rules }: StoredProfile,
  items: readonly ItemTuple[],
  columns: ReadonlyMap<number, number>,
): CellTest | undefined {
  if (hidden === undefined) return undefined;
  const uids = new Map(items.map(([pk, uid]) => [pk, uid]));
  const { profileUid: profile, version } = document;
  return ([item_pk, rule_pk]) => {
    const item = uids.get(item_pk);
    const rule = rules[columns.get(rule_pk) ?? -1];
    return (
      item !== undefined && rule !== undefined && hidden.hides({ profile, version, rule, item })
    );
  };
}

/** What the cells that are hidden take from the counts of each rule. */
async function hiddenTallies(
  ctx: ReadContext,
  matrix: Matrix,
  hidden: HiddenCells,
): Promise<TallyTuple[]> {
  const rows = await ctx.session.rows<[rule: number, raw: number, n: number]>(
    ctx.session.db
      .selectFrom('cells')
      .innerJoin('items', (join) =>
        join
          .onRef('items.account', '=', 'cells.account')
          .onRef('items.item_pk', '=', 'cells.item_pk'),
      )
      .select((eb) => ['rule_pk', 'raw', eb.fn.countAll<number>().as('n')])
      .where('cells.account', '=', ctx.session.account)
      .where('matrix_pk', '=', matrix)
      .where('deleted', '=', 0)
      .where('raw', '>', 0)
      .where(hidingSql(ctx, hidden))
      .groupBy(['rule_pk', 'raw']),
  );
  return rows.map(([rule, raw, n]) => [
    rule,
    raw === 1 ? -n : 0,
    raw === 2 ? -n : 0,
    raw === 3 ? -n : 0,
  ]);
}

/** The items of a page with their cells, which are read in steps where they are very many. */
async function writeItems(
  ctx: ReadContext,
  writer: ItemWriter,
  matrix: Matrix,
  items: readonly ItemTuple[],
  cells: readonly CellTuple[] | undefined,
  { rules, isHidden }: { rules: number; isHidden: CellTest | undefined },
): Promise<string> {
  const pieces: string[] = [];
  const step = cells === undefined ? Math.max(1, Math.floor(CELLS_AT_ONCE / rules)) : items.length;
  for (let start = 0; start < items.length; start += step) {
    if (start > 0) await yieldToEventLoop();
    const part = items.slice(start, start + step);
    const read =
      cells ??
      (await readCells(
        ctx,
        matrix,
        ctx.session.inList(
          'item_pk',
          part.map(([pk]) => pk),
        ),
      ));
    await writer.write(part, isHidden ? read.filter((cell) => !isHidden(cell)) : read, pieces);
  }
  return pieces.join('');
}

const statesQuery = compiledOnce(
  ({ db }, { account, name }: Placeholders<{ account: number; name: StreamName }>) =>
    db
      .selectFrom('streams')
      .select(({ exists, selectFrom }) => [
        'states',
        exists(
          selectFrom('acceptances')
            .select('acceptances.seq')
            .whereRef('acceptances.account', '=', 'streams.account')
            .whereRef('acceptances.stream_pk', '=', 'streams.stream_pk'),
        ).as('accepts'),
      ])
      .where('account', '=', account)
      .where('name', '=', name),
);
/** What the log says of the case's state, and whether any of its outcomes were accepted. */
const statesOf = ({ session }: ReadContext, account: AccountId, { case_uid }: MatrixQuery) =>
  statesQuery(session, {
    account: session.numberOf(account),
    name: case_uid,
  }).executeTakeFirst();

/** What the page's tag says of a filter; nothing where there is none. */
function filterOf(query: MatrixQuery): string[] {
  const { recorded_by, item_uid, outcome, rule_uid, since, fields } = query;
  const parts = [recorded_by?.kind, recorded_by?.name, item_uid, outcome, rule_uid, since, fields];
  return parts.every((part) => part === undefined)
    ? []
    : [JSON.stringify(parts.map((part) => part ?? null))];
}

/** What of a page's content its entity tag covers beside the matrix. */
const tagParts = (
  query: MatrixQuery,
  { limit, cursor }: Page,
  keys: boolean,
  { stored, unsettled }: Pick<CaseProfileDocument, 'unsettled'> & { stored: StoredCase },
  hidden: HiddenCells | undefined,
): unknown[] => [
  limit,
  cursor ?? null,
  keys,
  unsettled,
  ...filterOf(query),
  ...(stored.deleted ? ['deleted'] : []),
  ...(hidden === undefined ? [] : [hidden.key]),
];

/** What a page begins with. */
const headOf = (
  { document: { profileUid, version }, entry, rules }: StoredProfile,
  { stored, unsettled }: Pick<CaseProfileDocument, 'unsettled'> & { stored: StoredCase },
): string =>
  `{"case_uid":${JSON.stringify(stored.record.case_uid)}` +
  (stored.deleted ? ',"deleted":true' : '') +
  `,"profile_uid":"${profileUid}","profile_version":"${version}"` +
  `,"profile_digest":"${entry.digest}"` +
  (unsettled === null ? '' : ',"profile_unsettled":true') +
  `,"rules":${JSON.stringify(rules)}`;

/**
 * One page of a case's evidence as JSON text: thousands of objects would be made only to be written
 * out. In three batches: the case and the profile, the page with its cells where they are not very
 * many, and who wrote them. Throws not_found. `etag` is unquoted and changes with any change of the
 * page's content. `keys`: whether the identifiers of keys are shown.
 */
export async function evidencePage(
  ctx: ReadContext,
  account: AccountId,
  query: MatrixQuery,
  page: Page,
  keys = true,
): Promise<{ json: string; etag: string; value(): Evidence }> {
  const { session } = ctx;
  const [position, hidden, { stored, profile, unsettled }] = await pipelined(
    statesOf(ctx, account, query),
    hiddenCells(ctx, account, query.case_uid),
    caseAndProfile(ctx, account, query, true),
  );
  const { profileUid, version } = profile.document;
  const matrix = matrixOf(ctx, stored.pk, profileUid, version);
  const has = itemsWanted(
    ctx,
    stored,
    { profileUid, version, rules: profile.rules },
    query,
    hidden && hidingSql(ctx, hidden),
  );
  const isFew = page.limit * profile.rules.length <= CELLS_AT_ONCE;
  const ofPage = itemsAfter(ctx, stored.pk, page.limit, page.cursor, has).select('item_pk');
  const [{ items, next }, columns, tallies, cells] = await pipelined(
    readItems(ctx, stored.pk, page.limit, page.cursor, has),
    columnsByRule(ctx, profile.rules),
    readTallies(ctx, matrix),
    isFew ? readCells(ctx, matrix, session.inQuery('item_pk', ofPage)) : Promise.resolve(undefined),
  );
  const changes = new ChangeIndex(session, stored.streamPk);
  changes.acceptances.know(Boolean(position?.accepts));
  const stamps = new Stamps(changes, keys);
  const shownTallies =
    hidden === undefined ? tallies : [...tallies, ...(await hiddenTallies(ctx, matrix, hidden))];
  const writer = new ItemWriter(stamps, columns, profile.rules);
  const itemTexts = await writeItems(ctx, writer, matrix, items, cells, {
    rules: profile.rules.length,
    isHidden: hiddenOf(hidden, profile, items, columns),
  });
  const head = headOf(profile, { stored, unsettled });
  const summary = JSON.stringify(summarize(stored, profile, shownTallies, columns));
  const json = `${head},"items":[${itemTexts}],"summary":${summary},"next_cursor":${JSON.stringify(next)}}`;
  return {
    json,
    etag: evidenceEtag(
      ctx,
      JSON.parse(position!.states) as States,
      profile,
      tagParts(query, page, keys, { stored, unsettled }, hidden),
    ),
    value: () => JSON.parse(json) as Evidence,
  };
}
