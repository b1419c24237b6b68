import type { RunEntry, RunInput } from '../../shared/contract/v1/runs.ts';
import { DEFAULT_SETTINGS, ResultError } from '../../shared/domain/result.ts';
import { contentHash, freezeRun, type RecordedCell, type RunRecord } from '../../shared/domain/run.ts';
import { author, entryText, jsonString } from './author.ts';
import { profileForCase } from './case-profile.ts';
import { needCase, type StoredCase } from './cases.ts';
import { RAW } from './cell-book.ts';
import { authorName, type ReadContext, type WriteContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { columnsByRule, findMatrix } from './evidence-read.ts';
import { sortableId } from './ids.ts';
import { pause } from './pace.ts';
import { type Actor, type Listed, type Page, type Reader, StoreError } from './port.ts';
import { flushStream, openStream } from './ledger.ts';

const ENGINE = 'evidence-studio';
const ROWS_AT_ONCE = 5_000;

export async function listRuns(ctx: ReadContext, account: string, filter: { case_uid: string | undefined; project_id: string | undefined; profile_uid: string | undefined }, page: Page): Promise<Listed<RunEntry>> {
  let query = ctx.session.db.selectFrom('runs').select(['run_pk', 'entry']).where('account_id', '=', account).orderBy('run_pk', 'desc').limit(page.limit + 1);
  for (const column of ['case_uid', 'project_id', 'profile_uid'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) query = query.where(column, '=', wanted);
  }
  if (page.cursor !== undefined) query = query.where('run_pk', '<', readCursor('runs', ['number'], page.cursor)[0] as number);
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return { data: shown.map((row) => JSON.parse(row.entry) as RunEntry), next_cursor: rows.length > page.limit && last !== undefined ? writeCursor('runs', [last.run_pk]) : null };
}

/** A wrong number is worse than none: what is stored must still hash to what was frozen. */
export async function getRun(ctx: ReadContext, account: string, runUid: string): ReturnType<Reader['runs']['get']> {
  const row = await ctx.session.db.selectFrom('runs').select(['json', 'content_hash']).where('account_id', '=', account).where('run_uid', '=', runUid).executeTakeFirst();
  if (row === undefined) return undefined;
  let record: RunRecord;
  let computed: string;
  try {
    record = JSON.parse(row.json) as RunRecord;
    await pause();
    computed = contentHash({ ...record.frozen, settings: record.settings, method: record.method, result: record.result }, ctx.ports.hasher);
  } catch {
    throw damaged();
  }
  if (computed !== record.content_hash || computed !== row.content_hash) throw damaged();
  return { json: row.json, record };
}

function damaged(): StoreError {
  return new StoreError('integrity_error', 'The stored run no longer matches its content hash.');
}

/** Cells of items x rules: a number for each and the few details there are, since half a million objects would weigh more than all else of a run. */
class Cells implements Iterable<RecordedCell> {
  readonly #items: readonly { item_uid: string }[];
  readonly #rules: readonly string[];
  /** Row-major place, times the number of outcomes, plus the outcome. */
  readonly #outcomes: number[] = [];
  readonly #details = new Map<number, Pick<RecordedCell, 'source_value' | 'notes' | 'provenance'>>();

  constructor(items: readonly { item_uid: string }[], rules: readonly string[]) {
    this.#items = items;
    this.#rules = rules;
  }

  add(item: number, rule: number, raw: number, source_value: string | null, notes: string | null, provenance: string | null): void {
    const place = item * this.#rules.length + rule;
    this.#outcomes.push(place * RAW.length + raw);
    if (source_value !== null || notes !== null || provenance !== null) this.#details.set(place, { source_value, notes, provenance: provenance === null ? null : (JSON.parse(provenance) as string) });
  }

  *[Symbol.iterator](): Generator<RecordedCell> {
    for (const outcome of this.#outcomes) {
      const place = Math.floor(outcome / RAW.length);
      const { item_uid } = this.#items[Math.floor(place / this.#rules.length)] as { item_uid: string };
      yield { item_uid, rule_uid: this.#rules[place % this.#rules.length] as string, raw_outcome: RAW[outcome % RAW.length] ?? null, ...this.#details.get(place) };
    }
  }
}

interface Evidence {
  items: { item_uid: string; item_type: string; label: string; metadata: Record<string, never>; position: number }[];
  cells: Iterable<RecordedCell>;
  contested: { item_uid: string; rule_uid: string }[];
}

/** All evidence of a case under the rules of a profile. */
async function readEvidence(ctx: ReadContext, stored: StoredCase, matrix: number | undefined, rules: readonly string[]): Promise<Evidence> {
  const { session } = ctx;
  const rowOf = new Map<number, number>();
  const items: Evidence['items'] = [];
  const cells = new Cells(items, rules);
  const contested: Evidence['contested'] = [];
  for (let after = 0; ; ) {
    const query = session.db.selectFrom('items').select(['item_pk', 'item_uid', 'item_type', 'label', 'metadata', 'position']).where('case_pk', '=', stored.pk).where('deleted', '=', 0).where('item_pk', '>', after).orderBy('item_pk').limit(ROWS_AT_ONCE);
    const rows = await session.rows<[number, string, string, string, string, number]>(query);
    for (const [pk, item_uid, item_type, label, metadata, position] of rows) {
      rowOf.set(pk, items.length);
      items.push({ item_uid, item_type, label, metadata: JSON.parse(metadata) as Record<string, never>, position });
    }
    if (rows.length < ROWS_AT_ONCE) break;
    after = rows.at(-1)?.[0] ?? after;
    await pause();
  }
  if (matrix === undefined) return { items, cells, contested };
  const columns = await columnsByRule(ctx, rules);
  const pks = [...rowOf.keys()];
  const step = Math.max(1, Math.floor(ROWS_AT_ONCE / rules.length));
  for (let start = 0; start < pks.length; start += step) {
    const query = session.db
      .selectFrom('cells')
      .select(['item_pk', 'rule_pk', 'raw', 'source_value', 'provenance', 'notes', 'contested'])
      .where('matrix_pk', '=', matrix)
      .where('item_pk', 'in', session.list(pks.slice(start, start + step)));
    for (const [item, rule, raw, source_value, provenance, notes, isContested] of await session.rows<[number, number, number, string | null, string | null, string | null, number]>(query)) {
      const column = columns.get(rule);
      if (column === undefined) continue;
      const row = rowOf.get(item) as number;
      cells.add(row, column, raw, source_value, notes, provenance);
      if (isContested !== 0) contested.push({ item_uid: items[row]?.item_uid as string, rule_uid: rules[column] as string });
    }
    await pause();
  }
  return { items, cells, contested };
}

/** Freezes a case. The same run_uid again with equal content answers the first run. */
export async function createRun(ctx: WriteContext, actor: Actor, input: RunInput): Promise<{ json: string; record: RunRecord; created: boolean }> {
  const stream = await openStream(ctx, actor.account_id, input.case_uid);
  const stored = await needCase(ctx, actor.account_id, input.case_uid);
  const profile = await profileForCase(ctx, actor.account_id, stored, input.profile_uid, input.profile_version);
  const { document } = profile;
  const matrix = await findMatrix(ctx, stored.pk, document.profileUid, document.version);
  const { items, cells, contested } = await readEvidence(ctx, stored, matrix, profile.rules);
  checkContested(input, contested);
  const { case_uid, title, description, case_type, metadata, project_id } = stored.record;
  const frozen = freeze(ctx, { case: { case_uid, title, description, case_type, metadata }, profile: document, items, cells, settings: { ...DEFAULT_SETTINGS, ...input.settings }, ...(contested.length > 0 && input.reason !== undefined ? { contested, contested_reason: input.reason } : {}) });
  await pause();
  if (input.run_uid !== undefined) {
    const former = await getRun(ctx, actor.account_id, input.run_uid);
    if (former !== undefined && former.record.content_hash === frozen.content_hash) return { ...former, created: false };
    if (former !== undefined) throw new StoreError('conflict', 'A run with this run_uid exists with other content.', [{ path: '/run_uid', code: 'run_uid_taken', message: 'Choose another run_uid, or leave it out.' }]);
  }
  const run_uid = input.run_uid ?? sortableId('run_', ctx.ports);
  const record: RunRecord = {
    run_uid, case_uid, project_id, profile_uid: document.profileUid, profile_version: document.version, created_at: ctx.at, created_by: authorName(actor),
    method: frozen.method, engine: { name: ENGINE, version: ctx.ports.version }, settings: frozen.settings, frozen: frozen.frozen, result: frozen.result, content_hash: frozen.content_hash, url: `/studio/runs/${run_uid}`,
  };
  const json = JSON.stringify(record);
  await pause();
  const { frozen: _, result: { items: __, ...result }, ...rest } = record;
  await author(ctx, stream, actor, [entryText('[]', jsonString(`run/${run_uid}`), `{"content_hash":${jsonString(record.content_hash)}}`, 'announce')], input.reason);
  await flushStream(ctx, stream);
  const row = { account_id: actor.account_id, run_uid, case_uid, project_id, profile_uid: document.profileUid, profile_version: document.version, content_hash: record.content_hash, created_at: ctx.at };
  await ctx.session.db.insertInto('runs').values({ ...row, json, entry: JSON.stringify({ ...rest, result }) }).execute();
  return { json, record, created: true };
}

function freeze(ctx: WriteContext, input: Parameters<typeof freezeRun>[0]): ReturnType<typeof freezeRun> {
  try {
    return freezeRun(input, ctx.ports.hasher);
  } catch (error) {
    if (error instanceof ResultError && error.code === 'empty_matrix') throw new StoreError('empty_matrix', 'The case has no items under this profile, so there is nothing to freeze.');
    throw error;
  }
}

function checkContested(input: RunInput, contested: Evidence['contested']): void {
  if (contested.length === 0) return;
  if (input.accept_contested !== true) {
    const details = contested.slice(0, 50).map(() => ({ path: '/accept_contested', code: 'contested_cell', message: 'A cell was written by two people who did not see each other.' }));
    throw new StoreError('contested_cells', `${contested.length} contested cells are not resolved. Resolve them, or send accept_contested with a reason.`, details.slice(0, 1));
  }
  if (input.reason === undefined) throw new StoreError('validation_failed', 'Freezing contested cells needs a reason.', [{ path: '/reason', code: 'reason_missing', message: 'Say why the run is made although cells are contested.' }]);
}
