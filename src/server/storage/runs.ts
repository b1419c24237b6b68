import type { RunEntry, RunInput } from '../../shared/contract/v1/runs.ts';
import { DEFAULT_SETTINGS, ResultError } from '../../shared/domain/result.ts';
import { MAX_DETAILS } from '../../shared/contract/errors.ts';
import { isMaterial } from '../../shared/domain/contested.ts';
import { contentHash, freezeRun, type RunRecord } from '../../shared/domain/run.ts';
import { author, entryText, jsonString } from './author.ts';
import { profileForCase } from './case-profile.ts';
import { needCase } from './cases.ts';
import { authorName, type ReadContext, type WriteContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { findMatrix } from './evidence-read.ts';
import { sortableId } from './ids.ts';
import { pause } from './pace.ts';
import { type Actor, type Listed, type Page, type Reader, StoreError } from './port.ts';
import { flushStream, openStream } from './ledger.ts';
import { type Evidence, readEvidence } from './run-evidence.ts';

const ENGINE = 'evidence-studio';

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

/** Freezes a case. The same run_uid again with equal content answers the first run. */
export async function createRun(ctx: WriteContext, actor: Actor, input: RunInput): Promise<{ json: string; record: RunRecord; created: boolean }> {
  const stream = await openStream(ctx, actor.account_id, input.case_uid);
  const stored = await needCase(ctx, actor.account_id, input.case_uid);
  const profile = await profileForCase(ctx, actor.account_id, stored, input.profile_uid, input.profile_version);
  const { document } = profile;
  const matrix = await findMatrix(ctx, stored.pk, document.profileUid, document.version);
  const { items, cells, contested } = await readEvidence(ctx, stored, matrix, profile);
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

/** Details name cells whose other heads would give another result; where there are more than fit, the first. */
function checkContested(input: RunInput, contested: Evidence['contested']): void {
  if (contested.length === 0) return;
  if (input.accept_contested !== true) {
    const material = contested.filter(({ heads: [shown, ...others] }) => isMaterial(shown?.raw_outcome ?? null, others.map((head) => head.raw_outcome)));
    const named = material.slice(0, MAX_DETAILS).map(({ item_uid, rule_uid, heads: [shown, ...others] }) => ({
      path: '/accept_contested', code: 'material_cell',
      message: `${item_uid}, ${rule_uid}: shown as ${shown?.raw_outcome ?? 'unrecorded'}, also recorded as ${[...new Set(others.map((head) => head.raw_outcome ?? 'unrecorded'))].join(' and ')}.`,
    }));
    const none = { path: '/accept_contested', code: 'contested_cell', message: 'Cells were written by people who did not see each other. None of them changes the result.' };
    throw new StoreError('contested_cells', `${contested.length} contested cells are not resolved; ${material.length} of them change the result. Resolve them, or send accept_contested with a reason.`, named.length > 0 ? named : [none]);
  }
  if (input.reason === undefined) throw new StoreError('validation_failed', 'Freezing contested cells needs a reason.', [{ path: '/reason', code: 'reason_missing', message: 'Say why the run is made although cells are contested.' }]);
}
