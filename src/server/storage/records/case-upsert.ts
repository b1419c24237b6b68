import type { AccountId, ProjectId, ProfileUid } from '../../../shared/contract/ids.ts';
import type { Case, CaseInput } from '../../../shared/contract/v1/cases.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Actor } from '../db/actor.ts';
import { type CaseProfileDocument, profileForCase, refuseUnsettled } from './case-profile.ts';
import { findAnyCase, insertCase, type StoredCase } from './cases.ts';
import type { WriteContext } from '../db/context.ts';
import { documentReg } from './document-map.ts';
import { flushStream, openStream } from '../log/change-log.ts';
import { permit } from '../db/permit.ts';
import { checkPrecondition, type Precondition, type Upserted } from '../db/precondition.ts';
import { getProject, UNSORTED_PROJECT } from './projects.ts';
import { authorFields, type FieldDraft } from './record-author.ts';
import { ABSENT, StoreError } from '../db/errors.ts';
import { resolveProfile } from './profile-read.ts';

/** The fields of a case as a request leaves them. */
async function nextFields(
  ctx: WriteContext,
  actor: Actor,
  input: CaseInput,
  found: StoredCase | undefined,
) {
  const stored = found?.deleted === true ? undefined : found?.record;
  let document: FieldDraft[] = [];
  let profile =
    stored === undefined || stored.profile_uid === null
      ? null
      : { profile_uid: stored.profile_uid, profile_version: stored.profile_version as string };
  if (
    input.profile_uid !== undefined &&
    (profile?.profile_uid !== input.profile_uid ||
      (input.profile_version !== undefined && profile.profile_version !== input.profile_version))
  ) {
    const inUse = await documentInUse(
      ctx,
      actor.account_id,
      found,
      input.profile_uid,
      input.profile_version,
    );
    refuseUnsettled(inUse);
    profile = { profile_uid: input.profile_uid, profile_version: inUse.profile.document.version };
    if (!inUse.named)
      document = [
        {
          reg: documentReg(profile.profile_uid, profile.profile_version),
          value: { digest: inUse.profile.entry.digest },
        },
      ];
  }
  if (input.profile_uid === undefined && input.profile_version !== undefined) {
    throw new StoreError('validation_failed', 'A profile version needs its profile.', [
      { path: '/profile_version', code: 'profile_uid_missing', message: 'Send profile_uid too.' },
    ]);
  }
  return {
    project_id: input.project_id,
    title: input.title ?? stored?.title ?? input.case_uid,
    description: input.description ?? stored?.description ?? '',
    case_type: input.case_type ?? stored?.case_type ?? 'general',
    metadata: input.metadata ?? stored?.metadata ?? {},
    profile,
    document,
  };
}

async function documentInUse(
  ctx: WriteContext,
  account: AccountId,
  found: StoredCase | undefined,
  profileUid: ProfileUid,
  version: string | undefined,
): Promise<CaseProfileDocument> {
  if (found !== undefined) return profileForCase(ctx, account, found, profileUid, version);
  const profile = await resolveProfile(ctx, account, profileUid, version);
  if (profile === undefined) throw new StoreError('not_found', ABSENT.profile_uid);
  return { profile, named: false, unsettled: profile.undecided ? 'undecided' : null };
}

const FIELDS = ['project_id', 'title', 'description', 'case_type', 'metadata', 'profile'] as const;
type NextCaseFields = Omit<Awaited<ReturnType<typeof nextFields>>, 'document'>;

/** The fields that differ from what is stored; all of them where nothing is. */
function changedFields(stored: Case | undefined, next: NextCaseFields): FieldDraft[] {
  if (stored === undefined)
    return [
      { reg: 'case/x', value: { deleted: false } },
      ...FIELDS.filter((field) => field !== 'profile' || next.profile !== null).map((field) => ({
        reg: `case/${field}`,
        value: next[field],
      })),
    ];
  const { profile_uid, profile_version } = stored;
  const before = {
    ...stored,
    profile: profile_uid === null ? null : { profile_uid, profile_version },
  };
  return FIELDS.filter((field) => canonicalJson(before[field]) !== canonicalJson(next[field])).map(
    (field) => ({ reg: `case/${field}`, value: next[field] }),
  );
}

/** Refuses to move a case to another project, but out of that of cases that named none. */
function checkProject(stored: Case | undefined, projectId: ProjectId): void {
  if (
    stored !== undefined &&
    stored.project_id !== projectId &&
    stored.project_id !== UNSORTED_PROJECT
  )
    throw new StoreError('conflict', 'The case belongs to another project.', [
      {
        path: '/project_id',
        code: 'other_project',
        message: 'A case stays in the project it was created in.',
      },
    ]);
}

export async function upsertCase(
  ctx: WriteContext,
  actor: Actor,
  input: CaseInput,
  precondition: Precondition,
): Promise<Upserted<Case>> {
  const { account_id } = actor;
  if ((await getProject(ctx, account_id, input.project_id)) === undefined)
    throw new StoreError('not_found', ABSENT.project_id);
  const stream = await openStream(ctx, account_id, input.case_uid);
  const found = await findAnyCase(ctx, account_id, input.case_uid);
  // A deleted case is created again on top of its own history.
  if (found?.deleted === true) permit(ctx, { do: 'remove' });
  const stored = found?.deleted === true ? undefined : found?.record;
  checkPrecondition(precondition, stored?.version);
  checkProject(stored, input.project_id);
  const { document, ...next } = await nextFields(ctx, actor, input, found);
  const drafts = [...changedFields(stored, next), ...document];
  if (stored !== undefined && drafts.length === 0) return { record: stored, created: false };
  const { shown, documents } = await authorFields(ctx, stream, actor, drafts, input.reason);
  await flushStream(ctx, stream);
  const { profile, ...fields } = { ...next, ...(shown as Partial<typeof next>) };
  const record: Case = {
    case_uid: input.case_uid,
    ...fields,
    profile_uid: profile?.profile_uid ?? null,
    profile_version: profile?.profile_version ?? null,
    ...(found?.archived === true && { archived: true }),
    ...(found?.requiresSource === true && { requires_source: true }),
    ...(found?.record.stage && { stage: found.record.stage }),
    created_at: found?.record.created_at ?? ctx.at,
    updated_at: ctx.at,
    version: (found?.record.version ?? 0) + 1,
  };
  const { archived: _, requires_source: __, stage: ___, ...columns } = record;
  const row = {
    ...columns,
    metadata: canonicalJson(record.metadata),
    stream_pk: stream.pk,
    deleted: 0,
    active_at: ctx.at,
  };
  if (found === undefined) {
    const number = await insertCase(ctx, account_id, { ...row, item_rows: 0, item_count: 0 });
    await documents.flush(account_id, number);
    return { record, created: true };
  }
  await documents.flush(account_id, found.pk);
  await ctx.session.db
    .updateTable('cases')
    .set(row)
    .where('account', '=', ctx.session.numberOf(account_id))
    .where('case_pk', '=', found.pk)
    .execute();
  return {
    record,
    created: stored === undefined,
    renamed: stored !== undefined && stored.title !== record.title,
  };
}
