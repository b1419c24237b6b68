import { z } from 'zod';
import { CaseUid, ItemUid, ProfileUid, RunUid } from '../../domain/uid.ts';
import { text, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known, ProjectId } from '../ids.ts';
import { Case } from './cases.ts';
import { RecordedBy } from './evidence.ts';
import { Project } from './projects.ts';

/** Why something is put away or comes back; in the record's history and in the audit trail. */
const reason = text(2_000, 1);

const requireReason =
  (state: string) =>
  (input: { state: string; reason?: string | undefined }, ctx: z.RefinementCtx): void => {
    if (input.state === state && input.reason === undefined)
      ctx.addIssue({ code: 'custom', path: ['reason'], message: 'Say why.' });
  };

/**
 * `archived`: lists leave it out, and nothing else changes. `deleted`: hidden with all that stands
 * in it, which is kept and comes back with it. Whatever brings it to or from `deleted` needs the
 * scope `delete`.
 */
export const RecordState = z.enum(['active', 'archived', 'deleted']);
export type RecordState = z.infer<typeof RecordState>;

export const RecordStateInput = z
  .strictObject({
    state: RecordState,
    reason: reason.describe('Required where something is deleted.').optional(),
  })
  .superRefine(requireReason('deleted'));
export type RecordStateInput = z.infer<typeof RecordStateInput>;

/** `before`: what an undo sends. */
const stateAnswer = { state: RecordState, before: RecordState };

export const setProjectState = endpoint({
  id: 'setProjectState',
  summary: 'Archive or delete a project with its cases, or bring it back',
  tag: 'Projects',
  method: 'POST',
  path: '/api/v1/projects/{projectId}/state',
  access: 'write',
  params: z.strictObject({ projectId: ProjectId }),
  query: DryRun,
  body: RecordStateInput,
  bodyLimit: BODY_LIMIT,
  response: Project.extend(stateAnswer),
  success: [200],
  errors: ['not_found', 'precondition_failed', 'insufficient_scope'],
});

const caseParams = z.strictObject({ caseUid: CaseUid });

export const setCaseState = endpoint({
  id: 'setCaseState',
  summary: 'Archive or delete a case, or bring it back with all that stands in it',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/state',
  access: 'write',
  params: caseParams,
  query: DryRun,
  body: RecordStateInput,
  bodyLimit: BODY_LIMIT,
  response: Case.extend(stateAnswer),
  success: [200],
  errors: ['not_found', 'precondition_failed', 'insufficient_scope'],
});

/** Most outcomes that a duplicate takes over. */
export const MAX_COPIED = 100_000;

export const DuplicateInput = z.strictObject({
  case_uid: CaseUid.describe('Of the new case; no case may have it.'),
  project_id: ProjectId.describe(
    'The project of the case that is duplicated, if not said.',
  ).optional(),
  title: text(500, 1).describe('That of the case, with " (copy)", if not said.').optional(),
  copy: z
    .enum(['fields', 'items', 'evidence'])
    .describe(
      '`fields`: title, description, type, metadata and profile. `items`: its items, too. ' +
        '`evidence`: also what is recorded of them under the profile in use. The provenance of ' +
        'each outcome then says, in `copied_from`, of which case it is and who recorded it there.',
    ),
  reason: reason.optional(),
});
export type DuplicateInput = z.infer<typeof DuplicateInput>;

/** `recorded_by`: whose outcomes were copied, most first. */
export const CaseCopy = z.strictObject({
  case: Case,
  copied_from: known.caseUid,
  items: z.int().min(0),
  outcomes: z.int().min(0),
  recorded_by: z.array(
    RecordedBy.pick({ kind: true, name: true }).extend({ outcomes: z.int().min(1) }),
  ),
  /** Conflicts of the case that is duplicated: of each the value that is shown was copied. */
  conflicts: z.int().min(0),
});
export type CaseCopy = z.infer<typeof CaseCopy>;

export const duplicateCase = endpoint({
  id: 'duplicateCase',
  summary: 'Make a new case of a case, with or without its items and evidence',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/duplicates',
  access: 'write',
  params: caseParams,
  query: DryRun,
  body: DuplicateInput,
  bodyLimit: BODY_LIMIT,
  response: CaseCopy,
  success: [201],
  errors: ['not_found', 'not_here_yet', 'conflict', 'contested_profile', 'precondition_failed'],
});

export const ItemsStateInput = z.strictObject({
  item_uids: z.array(ItemUid).min(1).max(2_000),
  state: z.enum(['active', 'deleted']),
  reason: reason.optional(),
});
export type ItemsStateInput = z.infer<typeof ItemsStateInput>;

export const ItemsState = z.strictObject({
  case_uid: known.caseUid,
  changed: z.int().min(0),
  unchanged: z.int().min(0),
  /** Changes of the case's log that this made. */
  changes: z.array(z.string()),
});

export const setItemsState = endpoint({
  id: 'setItemsState',
  summary: 'Remove items of a case, or bring them back with their outcomes',
  tag: 'Evidence',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/items/state',
  access: 'write',
  params: caseParams,
  query: DryRun,
  body: ItemsStateInput,
  bodyLimit: BODY_LIMIT,
  response: ItemsState,
  success: [200],
  errors: ['not_found', 'insufficient_scope', 'case_approved'],
});

export const RunStateInput = z
  .strictObject({
    state: z.enum(['shown', 'hidden']),
    reason: reason.describe('Required where a run is hidden.').optional(),
  })
  .superRefine(requireReason('hidden'));
export type RunStateInput = z.infer<typeof RunStateInput>;

export const setRunState = endpoint({
  id: 'setRunState',
  summary: 'Hide a run from lists, or show it again; a run is never changed or destroyed',
  tag: 'Runs',
  method: 'POST',
  path: '/api/v1/runs/{runUid}/state',
  access: 'write',
  params: z.strictObject({ runUid: RunUid }),
  query: DryRun,
  body: RunStateInput,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ run_uid: known.runUid, state: z.enum(['shown', 'hidden']) }),
  success: [200],
  errors: ['not_found'],
});

export const ProfileStateInput = z.strictObject({
  state: z.enum(['active', 'retired']),
  reason: reason.optional(),
});
export type ProfileStateInput = z.infer<typeof ProfileStateInput>;

export const setProfileState = endpoint({
  id: 'setProfileState',
  summary: 'Retire a profile in this account, or offer it again; cases that use it keep it',
  tag: 'Profiles',
  method: 'POST',
  path: '/api/v1/profiles/{profileUid}/state',
  access: 'write',
  params: z.strictObject({ profileUid: ProfileUid }),
  query: DryRun,
  body: ProfileStateInput,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({
    profile_uid: known.profileUid,
    state: z.enum(['active', 'retired']),
  }),
  success: [200],
  errors: ['not_found'],
});
