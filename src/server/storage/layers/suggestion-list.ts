import type { AccountId } from '../../../shared/contract/ids.ts';
import type {
  SuggestionEntry,
  SuggestionFilter,
  SuggestionState,
} from '../../../shared/contract/v1/suggestions.ts';
import type { CellView } from '../../../sync/layers/suggestions.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import { type ExpressionBuilder, sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import { type Listed, type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import type { StoreTables } from '../db/schema/schema.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { recordedBy } from '../log/recorded-by.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { caseAndProfile } from '../records/case-profile.ts';
import { CellStates, type ShownCell } from './cell-states.ts';
import { namedDocument, type ShownCells, shownCells } from './shown-cells.ts';
import { SHOWN, type SuggestionRow } from './suggestion-map.ts';

/** Rows that are compared with the record in one go. */
const ROWS_AT_ONCE = 500;
/** Most rows that one page looks at: a page may be short, and go on. */
const MOST_LOOKED_AT = 10_000;

/** The matrix whose suggestions are asked for. */
export interface SuggestionMatrix {
  streamPk: number;
  profile_uid: string;
  profile_version: string;
}

const COLUMNS = ['rule_uid', 'item_uid', 'source', ...SHOWN] as const;
type KeyAfter = readonly [rule: string, item: string, source: string];

/** The next rows of a matrix, in the order of rule, item and source. */
export async function suggestionRows(
  { session }: ReadContext,
  { streamPk, profile_uid, profile_version }: SuggestionMatrix,
  { source, rule_uid, item_uid }: SuggestionFilter,
  after: KeyAfter | undefined,
  limit: number,
): Promise<SuggestionRow[]> {
  const is = (eb: ExpressionBuilder<StoreTables, 'suggestions'>) =>
    eb.and([
      ...(source === undefined ? [] : [eb('source', '=', source)]),
      ...(rule_uid === undefined ? [] : [eb('rule_uid', '=', rule_uid)]),
      ...(item_uid === undefined ? [] : [eb('item_uid', '=', item_uid)]),
      ...(after === undefined
        ? []
        : [sql<boolean>`(rule_uid, item_uid, source) > (${sql.join([...after])})`]),
    ]);
  const rows = await session.db
    .selectFrom('suggestions')
    .select(COLUMNS)
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where(sql<boolean>`profile_uid = ${profile_uid} AND profile_version = ${profile_version}`)
    .where('head_seq', 'is not', null)
    .where(is)
    .orderBy('rule_uid')
    .orderBy('item_uid')
    .orderBy('source')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    cell: {
      profile: profile_uid as SuggestionRow['cell']['profile'],
      version: profile_version,
      rule: row.rule_uid,
      item: row.item_uid,
      source: row.source,
    },
    head: row.head_seq === null ? null : { seq: row.head_seq, index: row.head_index as number },
    value: row.value,
    decisionHead:
      row.decision_seq === null
        ? null
        : { seq: row.decision_seq, index: row.decision_index as number },
    decision: row.decision,
    contested: row.contested === 1,
  }));
}

/** Whether a suggestion says what is asked for. */
export function says(
  value: Suggestion | null,
  { raw_outcome, min_confidence }: SuggestionFilter,
): boolean {
  return (
    (raw_outcome === undefined || value?.raw_outcome === raw_outcome) &&
    (min_confidence === undefined || (value?.confidence ?? -1) >= min_confidence)
  );
}

/** Loads the changes of all heads of some rows and of the cells that they are for. */
export async function loadHeads(
  changes: ChangeIndex,
  rows: readonly SuggestionRow[],
  shown: ShownCells,
): Promise<void> {
  const seqs = new Set<number>();
  for (const { head, decisionHead, cell } of rows)
    for (const at of [head, decisionHead, shown.get(cell)?.head ?? null])
      if (at !== null) seqs.add(at.seq);
  await changes.loadSeqs(seqs);
}

interface FoundSuggestion {
  row: SuggestionRow;
  view: CellView;
  state: SuggestionState;
}

/** Rows with their states, part by part: those alone that the filter means. */
export async function* judgedRows(
  ctx: ReadContext,
  changes: ChangeIndex,
  matrix: SuggestionMatrix & { casePk: number },
  filter: SuggestionFilter,
  start: KeyAfter | undefined,
): AsyncGenerator<FoundSuggestion> {
  const states = new CellStates(changes, await namedDocument(ctx, matrix));
  for (let after = start; ;) {
    const rows = await suggestionRows(ctx, matrix, filter, after, ROWS_AT_ONCE);
    const shown = await shownCells(
      ctx,
      matrix,
      rows.map(({ cell }) => cell),
    );
    await loadHeads(changes, rows, shown);
    for (const row of rows) {
      const found = await judge(states, row, shown.get(row.cell));
      if (found !== undefined && says(found.view.suggestion?.value ?? null, filter)) yield found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = keyOf(last);
    await yieldToEventLoop();
  }
}

async function judge(
  states: CellStates,
  row: SuggestionRow,
  shown: ShownCell | undefined,
): Promise<FoundSuggestion | undefined> {
  const found = await states.stateOf(row, shown);
  // Of a displayed entry nothing else is possible.
  return found === undefined || found.state === 'superseded'
    ? undefined
    : { row, view: found.view, state: found.state };
}

const keyOf = ({ cell: { rule, item, source } }: SuggestionRow): KeyAfter => [rule, item, source];

/**
 * What sources say of the cells of a matrix, with the state of each. `keys`: whether the
 * identifiers of keys are shown.
 */
export async function listSuggestions(
  ctx: ReadContext,
  account: AccountId,
  query: MatrixQuery & { filter: SuggestionFilter; state: SuggestionState | undefined },
  page: Page,
  keys = true,
): Promise<Listed<SuggestionEntry>> {
  const start =
    page.cursor === undefined
      ? undefined
      : (readCursor('suggestions', ['string', 'string', 'string'], page.cursor) as [
          string,
          string,
          string,
        ]);
  const { stored, profile } = await caseAndProfile(ctx, account, query, true);
  const { profileUid: profile_uid, version: profile_version } = profile.document;
  const matrix = { streamPk: stored.streamPk, casePk: stored.pk, profile_uid, profile_version };
  const changes = new ChangeIndex(ctx.session, stored.streamPk);
  const hidden = await hiddenCells(ctx, account, stored.record.case_uid);
  const data: SuggestionEntry[] = [];
  let looked = 0;
  for await (const found of judgedRows(ctx, changes, matrix, query.filter, start)) {
    looked += 1;
    const isAsked = query.state === undefined || found.state === query.state;
    if (isAsked && hidden?.hides(found.row.cell) !== true) data.push(entryOf(changes, found, keys));
    if (data.length === page.limit || looked === MOST_LOOKED_AT)
      return { data, next_cursor: writeCursor('suggestions', keyOf(found.row)) };
  }
  return { data, next_cursor: null };
}

function entryOf(
  changes: ChangeIndex,
  { row: { head, cell, decisionHead, contested }, view, state }: FoundSuggestion,
  keys: boolean,
): SuggestionEntry {
  if (head === null || view.suggestion === undefined) throw new Error('A suggestion has no entry.');
  const { name, value } = view.suggestion;
  const own = changes.at(head.seq);
  const verdict = view.decision?.value ?? null;
  const decided = decisionHead === null ? undefined : changes.at(decisionHead.seq);
  return {
    suggestion_id: name,
    item_uid: cell.item,
    rule_uid: cell.rule,
    source: keys || own.authorKind !== 'agent' ? cell.source : null,
    suggested_by: recordedBy(own, keys),
    suggested_at: own.receivedAt,
    state,
    raw_outcome: value?.raw_outcome ?? null,
    source_value: value?.source_value ?? null,
    quote: value?.quote ?? null,
    locator: value?.locator ?? null,
    provenance: value?.provenance ?? null,
    confidence: value?.confidence ?? null,
    model: value?.model ?? null,
    prompt_sha256: value?.prompt_sha256 ?? null,
    basis: value?.basis ?? null,
    document: value?.document ?? null,
    decision:
      verdict === null || decided === undefined
        ? null
        : {
            suggestion_id: verdict.entry,
            verdict: verdict.verdict,
            reason: verdict.reason ?? null,
            by: decided.author,
            at: decided.receivedAt,
            contested,
          },
  };
}
