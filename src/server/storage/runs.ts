import type { RunEntry, RunInput } from '../../shared/contract/v1/runs.ts';
import { DEFAULT_SETTINGS, ResultError } from '../../shared/domain/result.ts';
import { MAX_DETAILS } from '../../shared/contract/errors.ts';
import { isMaterial } from '../../shared/domain/contested.ts';
import { freezeRun, type RunRecord } from '../../shared/domain/run.ts';
import { author, entryText, jsonString } from './author.ts';
import { profileForCase } from './case-profile.ts';
import { needCase } from './cases.ts';
import { authorName, type ReadContext, type WriteContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { checkReviewed } from './evidence-etag.ts';
import { findMatrix } from './evidence-read.ts';
import { sortableId } from './ids.ts';
import { pause } from './pace.ts';
import type { Actor } from './actor.ts';
import { type Listed, type Page, type Precondition, type Reader, StoreError } from './port.ts';
import { flushStream, noteMoved, openStream } from './ledger.ts';
import { noteMore } from './quotas.ts';
import { readContent, storeContent, type StoredEntry, toRecord } from './run-content.ts';
import { type Evidence, readEvidence } from './run-evidence.ts';

const ENGINE = 'evidence-studio';

export async function listRuns(ctx: ReadContext, account: string, filter: { case_uid: string | undefined; project_id: string | undefined; profile_uid: string | undefined }, page: Page): Promise<Listed<RunEntry>> {
  let query = ctx.session.db
    .selectFrom('runs')
    .leftJoin('run_contents', (join) => join.onRef('run_contents.account_id', '=', 'runs.account_id').onRef('run_contents.content_hash', '=', 'runs.content_hash'))
    .select(['run_pk', 'entry', 'reproduced'])
    .where('runs.account_id', '=', account)
    .orderBy('run_pk', 'desc')
    .limit(page.limit + 1);
  for (const column of ['case_uid', 'project_id', 'profile_uid'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) query = query.where(`runs.${column}`, '=', wanted);
  }
  if (page.cursor !== undefined) query = query.where('run_pk', '<', readCursor('runs', ['whole'], page.cursor)[0] as number);
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const data = shown.map((row): RunEntry => ({ ...(JSON.parse(row.entry) as StoredEntry), reproduced: row.reproduced === 1 }));
  return { data, next_cursor: rows.length > page.limit && last !== undefined ? writeCursor('runs', [last.run_pk]) : null };
}

/** The run with this run_uid. If two servers gave the same one to two contents, both are kept and the older is meant. */
async function entriesOf(ctx: ReadContext, account: string, runUid: string): Promise<StoredEntry[]> {
  const rows = await ctx.session.db.selectFrom('runs').select('entry').where('account_id', '=', account).where('run_uid', '=', runUid).orderBy('created_at').orderBy('content_hash').execute();
  return rows.map((row) => JSON.parse(row.entry) as StoredEntry);
}

async function readRun(ctx: ReadContext, account: string, entry: StoredEntry): Promise<{ json: string; record: RunRecord }> {
  const record = toRecord(entry, await readContent(ctx, account, entry.content_hash), entry.content_hash);
  await pause();
  return { json: JSON.stringify(record), record };
}

export async function getRun(ctx: ReadContext, account: string, runUid: string, hash?: string): ReturnType<Reader['runs']['get']> {
  const entry = (await entriesOf(ctx, account, runUid)).find(({ content_hash }) => hash === undefined || content_hash === hash);
  return entry && readRun(ctx, account, entry);
}

/** Adds a run to a stored content; false where it was there already. */
export async function insertRun(ctx: WriteContext, account: string, entry: StoredEntry): Promise<boolean> {
  const { run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, created_at } = entry;
  const row = { account_id: account, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, created_at, entry: JSON.stringify(entry) };
  const inserted = await ctx.session.db.insertInto('runs').values(row).onConflict((oc) => oc.columns(['account_id', 'run_uid', 'content_hash']).doNothing()).returning('run_pk').execute();
  if (inserted.length === 0) return false;
  noteMoved(ctx, account, content_hash);
  noteMore(ctx, account, 'runs');
  return true;
}

export function entryOf({ frozen: _, result: { items: __, ...result }, ...rest }: RunRecord): StoredEntry {
  return { ...rest, result };
}

/** Freezes a case. If the same run_uid is given again with equal content, the first run is returned. */
export async function createRun(ctx: WriteContext, actor: Actor, input: RunInput, precondition?: Precondition): Promise<{ json: string; record: RunRecord; created: boolean }> {
  const stream = await openStream(ctx, actor.account_id, input.case_uid);
  const stored = await needCase(ctx, actor.account_id, input.case_uid);
  const profile = await profileForCase(ctx, actor.account_id, stored, input.profile_uid, input.profile_version);
  const { document } = profile;
  if (precondition !== 'absent') checkReviewed(ctx, precondition, stream.states, profile);
  if (input.if_match !== undefined) checkReviewed(ctx, { versions: [], tags: [input.if_match.replaceAll('"', '')] }, stream.states, profile);
  const matrix = await findMatrix(ctx, stored.pk, document.profileUid, document.version);
  const { items, cells, contested } = await readEvidence(ctx, stored, matrix, profile);
  checkContested(input, contested);
  const { case_uid, title, description, case_type, metadata, project_id } = stored.record;
  const frozen = freeze(ctx, { case: { case_uid, title, description, case_type, metadata }, profile: document, items, cells, settings: { ...DEFAULT_SETTINGS, ...input.settings }, ...(contested.length > 0 && input.reason !== undefined ? { contested, contested_reason: input.reason } : {}) });
  await pause();
  const { account_id } = actor;
  if (input.run_uid !== undefined) {
    const former = await entriesOf(ctx, account_id, input.run_uid);
    const same = former.find((entry) => entry.content_hash === frozen.content_hash);
    if (same !== undefined) return { ...(await readRun(ctx, account_id, same)), created: false };
    if (former.length > 0) throw new StoreError('conflict', 'A run with this run_uid exists with other content.', [{ path: '/run_uid', code: 'run_uid_taken', message: 'Choose another run_uid, or leave it out.' }]);
  }
  const run_uid = input.run_uid ?? sortableId('run_', ctx.ports);
  const { settings, method, result, content_hash } = frozen;
  const content = await storeContent(ctx, account_id, { ...frozen.frozen, settings, method, result }, content_hash, true);
  const record = toRecord({ run_uid, project_id, created_at: ctx.at, created_by: authorName(actor), engine: { name: ENGINE, version: ctx.ports.version } }, content, content_hash);
  await pause();
  await author(ctx, stream, actor, [entryText('[]', jsonString(`run/${run_uid}`), `{"content_hash":${jsonString(content_hash)}}`, 'announce')], input.reason);
  await flushStream(ctx, stream);
  await insertRun(ctx, account_id, entryOf(record));
  return { json: JSON.stringify(record), record, created: true };
}

function freeze(ctx: WriteContext, input: Parameters<typeof freezeRun>[0]): ReturnType<typeof freezeRun> {
  try {
    return freezeRun(input, ctx.ports.hasher);
  } catch (error) {
    if (error instanceof ResultError && error.code === 'empty_matrix') throw new StoreError('empty_matrix', 'The case has no items under this profile, so there is nothing to freeze.');
    throw error;
  }
}

/** Error details for contested cells that would change the result; the first ones where there are more than fit. */
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
