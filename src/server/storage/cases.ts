import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Case, CaseInput } from '../../shared/contract/v1/cases.ts';
import type { Selectable } from 'kysely';
import type { ReadContext, WriteContext } from './context.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Actor } from './actor.ts';
import { type Listed, type Page, type Precondition, StoreError, type Upserted } from './port.ts';
import { checkPrecondition } from './precondition.ts';
import { resolveProfile } from './profiles.ts';
import { getProject, UNSORTED_PROJECT } from './projects.ts';
import { noteMore } from './quotas.ts';
import { authorFields, type FieldDraft } from './record-author.ts';
import type { CaseTable } from './schema.ts';
import { flushStream, openStream, type Stream } from './ledger.ts';

const COLUMNS = ['case_pk', 'case_uid', 'stream_pk', 'project_id', 'title', 'description', 'case_type', 'metadata', 'profile_uid', 'profile_version', 'item_rows', 'item_count', 'deleted', 'version', 'created_at', 'updated_at'] as const;

/** A case with what the store alone knows of it. */
export interface StoredCase {
  pk: number;
  streamPk: number;
  itemRows: number;
  itemCount: number;
  deleted: boolean;
  record: Case;
}

type CaseRow = Omit<Selectable<CaseTable>, 'account_id'>;

function toStored(row: CaseRow): StoredCase {
  const { case_uid, project_id, title, description, case_type, profile_uid, profile_version, created_at, updated_at, version } = row;
  const metadata = JSON.parse(row.metadata) as Case['metadata'];
  return {
    pk: row.case_pk, streamPk: row.stream_pk, itemRows: row.item_rows, itemCount: row.item_count, deleted: row.deleted === 1,
    record: { case_uid, project_id, title, description, case_type, metadata, profile_uid, profile_version, created_at, updated_at, version },
  };
}

export async function listCases(ctx: ReadContext, account: string, filter: { project_id: string | undefined }, page: Page): Promise<Listed<Case>> {
  let query = ctx.session.db.selectFrom('cases').select(COLUMNS).where('account_id', '=', account).where('deleted', '=', 0).orderBy('case_pk').limit(page.limit + 1);
  if (filter.project_id !== undefined) query = query.where('project_id', '=', filter.project_id);
  if (page.cursor !== undefined) query = query.where('case_pk', '>', readCursor('cases', ['whole'], page.cursor)[0] as number);
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return { data: shown.map((row) => toStored(row).record), next_cursor: rows.length > page.limit && last !== undefined ? writeCursor('cases', [last.case_pk]) : null };
}

/** Also a deleted one. The transaction is about it from here on. */
export async function findAnyCase(ctx: ReadContext, account: string, caseUid: string): Promise<StoredCase | undefined> {
  const row = await ctx.session.db.selectFrom('cases').select(COLUMNS).where('account_id', '=', account).where('case_uid', '=', caseUid).executeTakeFirst();
  if (row === undefined) return undefined;
  ctx.session.about(row.case_pk);
  return toStored(row);
}

export async function findCase(ctx: ReadContext, account: string, caseUid: string): Promise<StoredCase | undefined> {
  const found = await findAnyCase(ctx, account, caseUid);
  return found?.deleted === true ? undefined : found;
}

/** Throws not_found, in the same words for an absent case and for another account's. */
export async function needCase(ctx: ReadContext, account: string, caseUid: string): Promise<StoredCase> {
  const found = await findCase(ctx, account, caseUid);
  if (found === undefined) throw new StoreError('not_found', 'There is no such case.');
  return found;
}

/** Creates a case for a log that has none, with placeholders for the fields that nobody has written. */
export async function makeCase(ctx: WriteContext, { account, name, pk }: Stream): Promise<StoredCase> {
  const row = {
    account_id: account, case_uid: name, stream_pk: pk, project_id: UNSORTED_PROJECT, title: '', description: '', case_type: 'case', metadata: '{}', profile_uid: null, profile_version: null,
    item_rows: 0, item_count: 0, deleted: 0, version: 1, created_at: ctx.at, updated_at: ctx.at,
  };
  const { case_pk } = await ctx.session.db.insertInto('cases').values(row).returning('case_pk').executeTakeFirstOrThrow();
  ctx.session.about(case_pk);
  noteMore(ctx, account, 'cases');
  // The first fields create the case, so they do not count as a change of it.
  return toStored({ ...row, case_pk, version: 0 });
}

/** The fields of a case as a request leaves them. */
async function nextFields(ctx: WriteContext, actor: Actor, input: CaseInput, stored: Case | undefined) {
  let profile = stored === undefined || stored.profile_uid === null ? null : { profile_uid: stored.profile_uid, profile_version: stored.profile_version as string };
  if (input.profile_uid !== undefined && (profile?.profile_uid !== input.profile_uid || (input.profile_version !== undefined && profile.profile_version !== input.profile_version))) {
    const found = await resolveProfile(ctx, actor.account_id, input.profile_uid, input.profile_version);
    if (found === undefined) throw new StoreError('not_found', 'There is no such profile.');
    profile = { profile_uid: input.profile_uid, profile_version: found.document.version };
  }
  if (input.profile_uid === undefined && input.profile_version !== undefined) {
    throw new StoreError('validation_failed', 'A profile version needs its profile.', [{ path: '/profile_version', code: 'profile_uid_missing', message: 'Send profile_uid too.' }]);
  }
  return {
    project_id: input.project_id,
    title: input.title ?? stored?.title ?? input.case_uid,
    description: input.description ?? stored?.description ?? '',
    case_type: input.case_type ?? stored?.case_type ?? 'general',
    metadata: input.metadata ?? stored?.metadata ?? {},
    profile,
  };
}

export async function upsertCase(ctx: WriteContext, actor: Actor, input: CaseInput, precondition: Precondition): Promise<Upserted<Case>> {
  if ((await getProject(ctx, actor.account_id, input.project_id)) === undefined) throw new StoreError('not_found', 'There is no such project.');
  const stream = await openStream(ctx, actor.account_id, input.case_uid);
  const found = await findAnyCase(ctx, actor.account_id, input.case_uid);
  // A deleted case is created again on top of its own history.
  const stored = found?.deleted === true ? undefined : found?.record;
  checkPrecondition(precondition, stored?.version);
  if (stored !== undefined && stored.project_id !== input.project_id && stored.project_id !== UNSORTED_PROJECT) {
    throw new StoreError('conflict', 'The case belongs to another project.', [{ path: '/project_id', code: 'other_project', message: 'A case stays in the project it was created in.' }]);
  }
  const next = await nextFields(ctx, actor, input, stored);
  const before = stored && { ...stored, profile: stored.profile_uid === null ? null : { profile_uid: stored.profile_uid, profile_version: stored.profile_version } };
  const drafts: FieldDraft[] = stored === undefined ? [{ reg: 'case/x', value: { deleted: false } }] : [];
  for (const field of ['project_id', 'title', 'description', 'case_type', 'metadata', 'profile'] as const) {
    const isUnset = before === undefined && field === 'profile' && next.profile === null;
    if (!isUnset && (before === undefined || canonicalJson(before[field]) !== canonicalJson(next[field]))) drafts.push({ reg: `case/${field}`, value: next[field] });
  }
  if (stored !== undefined && drafts.length === 0) return { record: stored, created: false };
  const shown = await authorFields(ctx, stream, actor, drafts);
  await flushStream(ctx, stream);
  const { profile, ...fields } = { ...next, ...(shown as Partial<typeof next>) };
  const record: Case = {
    case_uid: input.case_uid, ...fields, profile_uid: profile?.profile_uid ?? null, profile_version: profile?.profile_version ?? null,
    created_at: found?.record.created_at ?? ctx.at, updated_at: ctx.at, version: (found?.record.version ?? 0) + 1,
  };
  const row = { ...record, metadata: canonicalJson(record.metadata), account_id: actor.account_id, stream_pk: stream.pk, deleted: 0 };
  if (found === undefined) {
    await ctx.session.db.insertInto('cases').values({ ...row, item_rows: 0, item_count: 0 }).execute();
    noteMore(ctx, actor.account_id, 'cases');
  } else await ctx.session.db.updateTable('cases').set(row).where('case_pk', '=', found.pk).execute();
  return { record, created: stored === undefined };
}
