import type { CaseUid, ProfileUid, ProjectId, RunUid } from '../../../shared/contract/ids.ts';
import type { Case } from '../../../shared/contract/v1/cases.ts';
import type {
  ProfileStateInput,
  RecordState,
  RecordStateInput,
  RunStateInput,
} from '../../../shared/contract/v1/housekeeping.ts';
import type { Project } from '../../../shared/contract/v1/projects.ts';
import {
  type CaseField,
  PROFILE_STREAM,
  type ProjectField,
  projectStream,
  type Register,
} from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { ABSENT, StoreError } from '../db/errors.ts';
import { permit } from '../db/permit.ts';
import { checkPrecondition, type Precondition } from '../db/precondition.ts';
import { openStream } from '../log/change-log.ts';
import { entriesOf } from '../runs/runs.ts';
import { isHiddenRun } from '../runs/hidden-runs.ts';
import { CaseView } from './case-view.ts';
import { findAnyCase, needAnyCase } from './cases.ts';
import { retiredProfiles } from './profile-list.ts';
import { visibleDocuments } from './profile-read.ts';
import { ProfileView } from './profile-view.ts';
import { ProjectView } from './project-view.ts';
import { findAnyProject } from './projects.ts';
import { type FieldWrite, writeFields, type WrittenView } from './write-fields.ts';
import { formatRegister } from '../../../sync/register.ts';

/** A record with the state that it is in now, and the one before. */
type InState<T> = T & { state: RecordState; before: RecordState };

const stateOf = (deleted: boolean, archived: boolean): RecordState =>
  deleted ? 'deleted' : archived ? 'archived' : 'active';

/** Which of the two registers have to be written, and what they say then. */
function flagsFor(
  before: { deleted: boolean; archived: boolean },
  state: RecordState,
): { field: 'x' | 'archived'; value: unknown }[] {
  const isDeleted = state === 'deleted';
  const isArchived = isDeleted ? before.archived : state === 'archived';
  return [
    ...(before.deleted === isDeleted
      ? []
      : [{ field: 'x' as const, value: { deleted: isDeleted } }]),
    ...(before.archived === isArchived ? [] : [{ field: 'archived' as const, value: isArchived }]),
  ];
}

type FlagView<F> = WrittenView & { showField(field: F, value: unknown): void };

const flagWrites = <F extends CaseField | ProjectField>(
  view: FlagView<F>,
  kind: 'case' | 'project',
  flags: readonly { field: F; value: unknown }[],
): FieldWrite[] =>
  flags.map(({ field, value }) => {
    const register = { kind, field } as Register;
    return {
      register,
      value,
      binding: view.registers.binding(formatRegister(register), (shown) =>
        view.showField(field, shown),
      ),
    };
  });

/** Archives, deletes or brings back a case. Nothing that stands in it is touched. */
export async function setCaseState(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  { state, reason }: RecordStateInput,
  precondition: Precondition,
): Promise<InState<Case>> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needAnyCase(ctx, actor.account_id, caseUid);
  checkPrecondition(precondition, stored.record.version);
  const flags = flagsFor(stored, state);
  if (flags.some(({ field }) => field === 'x')) permit(ctx, { do: 'remove' });
  const before = stateOf(stored.deleted, stored.archived);
  if (flags.length === 0) return { ...stored.record, state: before, before };
  const view = new CaseView(ctx, stream, stored);
  await writeFields(ctx, actor, stream, view, flagWrites(view, 'case', flags), reason);
  const after = await findAnyCase(ctx, actor.account_id, caseUid);
  if (after === undefined) throw new Error('A case is gone that was there.');
  return { ...after.record, state: stateOf(after.deleted, after.archived), before };
}

/** Archives, deletes or brings back a project: its cases go and come with it. */
export async function setProjectState(
  ctx: WriteContext,
  actor: Actor,
  projectId: ProjectId,
  { state, reason }: RecordStateInput,
  precondition: Precondition,
): Promise<InState<Project>> {
  const { account_id } = actor;
  const read = async () => {
    const found = await findAnyProject(ctx, account_id, projectId);
    if (found === undefined) throw new StoreError('not_found', ABSENT.project_id);
    const { record, deleted } = found;
    return { record, flags: { deleted, archived: record.archived === true } };
  };
  await read();
  const stream = await openStream(ctx, account_id, projectStream(projectId));
  const { record, flags: now } = await read();
  checkPrecondition(precondition, record.version);
  const flags = flagsFor(now, state);
  if (flags.some(({ field }) => field === 'x')) permit(ctx, { do: 'remove' });
  const before = stateOf(now.deleted, now.archived);
  if (flags.length === 0) return { ...record, state: before, before };
  const view = new ProjectView(ctx, stream, projectId);
  await writeFields(ctx, actor, stream, view, flagWrites(view, 'project', flags), reason);
  const after = await read();
  const { deleted, archived } = after.flags;
  return { ...after.record, state: stateOf(deleted, archived), before };
}

/** Leaves a run out of lists, or shows it again. True where that was not so before. */
export async function setRunState(
  ctx: WriteContext,
  actor: Actor,
  runUid: RunUid,
  { state, reason }: RunStateInput,
): Promise<boolean> {
  const entries = await entriesOf(ctx, actor.account_id, runUid);
  if (entries.length === 0) throw new StoreError('not_found', 'There is no such run.');
  const isHidden = state === 'hidden';
  let isChanged = false;
  // Two contents under one name may be of two cases.
  for (const caseUid of new Set(entries.map((entry) => entry.case_uid))) {
    const stream = await openStream(ctx, actor.account_id, caseUid);
    const stored = await needAnyCase(ctx, actor.account_id, caseUid);
    if ((await isHiddenRun(ctx, runUid, caseUid)) === isHidden) continue;
    const view = new CaseView(ctx, stream, stored);
    const register: Register = { kind: 'hidden', run: runUid };
    const binding = view.registers.binding(formatRegister(register), (shown) =>
      view.showRun(runUid, shown === true),
    );
    await writeFields(ctx, actor, stream, view, [{ register, value: isHidden, binding }], reason);
    isChanged = true;
  }
  return isChanged;
}

/** Retires a profile in an account, or offers it again. True where that was not so before. */
export async function setProfileState(
  ctx: WriteContext,
  actor: Actor,
  profileUid: ProfileUid,
  { state, reason }: ProfileStateInput,
): Promise<boolean> {
  const { account_id } = actor;
  if ((await visibleDocuments(ctx, account_id, profileUid)).length === 0)
    throw new StoreError('not_found', ABSENT.profile_uid);
  const stream = await openStream(ctx, account_id, PROFILE_STREAM);
  const isRetired = state === 'retired';
  if ((await retiredProfiles(ctx, account_id)).has(profileUid) === isRetired) return false;
  const view = new ProfileView(ctx, stream);
  const binding = view.retiredBinding(profileUid);
  const register: Register = { kind: 'retired', profile: profileUid };
  await writeFields(ctx, actor, stream, view, [{ register, value: isRetired, binding }], reason);
  return true;
}
