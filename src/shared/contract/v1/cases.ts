import { z } from 'zod';
import { CaseStage } from '../../domain/sign-off.ts';
import { CaseUid, ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import {
  list,
  LongText,
  Metadata,
  None,
  order,
  paging,
  searchIn,
  stamps,
  text,
  Timestamp,
  DryRun,
} from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { EntryWriter } from './contested.ts';
import { known, ProjectId } from '../ids.ts';

export const Case = z.strictObject({
  case_uid: known.caseUid,
  project_id: ProjectId,
  title: z.string(),
  description: z.string(),
  case_type: z.string(),
  metadata: Metadata,
  /** The profile in use: chosen on the case, or taken from the first evidence recorded. */
  profile_uid: known.profileUid.nullable(),
  profile_version: z.string().nullable(),
  /** Present where it is archived: lists leave it out unless they are asked for it. */
  archived: z.literal(true).optional(),
  /** Present where suggestions and agents' outcomes have to show what they rest on. */
  requires_source: z.literal(true).optional(),
  /** Present where it is not in progress. */
  stage: CaseStage.exclude(['in_progress']).optional(),
  ...stamps,
});
export type Case = z.infer<typeof Case>;

/** How much is recorded under the profile in use. */
export const CaseProgress = z.strictObject({
  items: z.int().min(0),
  rules: z.int().min(0),
  /** Items times rules. */
  cells: z.int().min(0),
  recorded: z.int().min(0),
});
export type CaseProgress = z.infer<typeof CaseProgress>;

/** Who last wrote in the case's log, and when this server received it. */
export const LastChange = z.strictObject({
  at: Timestamp,
  by: z.string(),
  kind: z.enum(['human', 'agent', 'import']),
});
export type LastChange = z.infer<typeof LastChange>;

/**
 * A case in a list. `progress` and `last_change` are there where they are asked for; the progress
 * is null without a profile in use, while its document is not here, and where an open round hides
 * some of it from the caller.
 */
export const ListedCase = Case.extend({
  progress: CaseProgress.nullable().optional(),
  last_change: LastChange.nullable().optional(),
});
export type ListedCase = z.infer<typeof ListedCase>;

/** Upsert key: `case_uid` in the account. Omitted fields of an existing case stay. */
export const CaseInput = z.strictObject({
  project_id: ProjectId,
  case_uid: CaseUid,
  title: text(500).optional(),
  description: LongText.optional(),
  case_type: text(64, 1).optional(),
  metadata: Metadata.optional(),
  profile_uid: ProfileUid.optional(),
  profile_version: ProfileVersion.optional(),
  reason: text(2_000, 1).describe('Why it is changed; in its history.').optional(),
});
export type CaseInput = z.infer<typeof CaseInput>;

/**
 * `changed`: when fields of the case itself last changed. `active`: when anything was last recorded
 * in it on this server.
 */
/**
 * A case that is written to all the time says so once in so many milliseconds: by `active` it may
 * stand behind others that were written to at most so much earlier.
 */
export const ACTIVE_WITHIN_MS = 60_000;
export const CaseSort = z.enum(['created', 'title', 'changed', 'active']);
export type CaseSort = z.infer<typeof CaseSort>;

export const listCases = endpoint({
  id: 'listCases',
  summary: 'List cases, in the order in which they were created if not said otherwise',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/cases',
  access: 'read',
  params: None,
  query: z.strictObject({
    ...paging,
    ...order,
    ...searchIn('title or case_uid'),
    sort: CaseSort.optional(),
    project_id: ProjectId.optional(),
    profile_uid: ProfileUid.describe('Only cases in which this profile is in use.').optional(),
    profile_version: ProfileVersion.optional(),
    state: z
      .enum(['active', 'archived'])
      .describe(
        'Only these; `active` if not said. Cases of an archived or deleted project are listed ' +
          'where the project is named.',
      )
      .optional(),
    progress: z
      .literal('true')
      .describe('Also `progress` and `last_change` of each case.')
      .optional(),
  }),
  response: list(ListedCase),
  success: [200],
  errors: [],
});

const caseParams = z.strictObject({ caseUid: CaseUid });

export const getCase = endpoint({
  id: 'getCase',
  summary: 'Read one case',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}',
  access: 'read',
  params: caseParams,
  query: None,
  response: Case,
  success: [200],
  errors: ['not_found'],
});

const MAX_CASES = 50;
const CaseUids = z
  .string()
  .refine(
    (value) => {
      const uids = value.split(',');
      return uids.length <= MAX_CASES && uids.every((uid) => CaseUid.safeParse(uid).success);
    },
    { message: `Must be 1 to ${MAX_CASES} values of case_uid, joined by commas.` },
  )
  .brand<'CaseUids'>();

/** The cases of a list that has been checked by its schema. */
export const caseUidsOf = (list: z.infer<typeof CaseUids>): CaseUid[] =>
  list.split(',').map((uid) => known.caseUid.parse(uid));

/**
 * A matrix with cells that nobody has settled; `beneath` counts those of `cells` that were written
 * beneath a deletion by somebody who did not know of it.
 */
export const ContestedMatrix = z.strictObject({
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  cells: z.int().min(1),
  beneath: z.int().min(0),
});
export type ContestedMatrix = z.infer<typeof ContestedMatrix>;

export const listContestedMatrices = endpoint({
  id: 'listContestedMatrices',
  summary: 'In which cases cells are contested, and how many',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/contested',
  access: 'read',
  params: None,
  query: z.strictObject({
    ...paging,
    project_id: ProjectId.optional(),
    case_uid: CaseUids.describe(
      'Only these cases, at most 50 joined by commas: costs what they do, not what all cases do.',
    ).optional(),
  }),
  response: list(ContestedMatrix),
  success: [200],
  errors: [],
});

/**
 * A case that was deleted, and by whom. What stands in it can be read as before; creating it again
 * brings it back.
 */
export const DeletedCase = Case.extend({ deletion: EntryWriter });
export type DeletedCase = z.infer<typeof DeletedCase>;

export const listDeletedCases = endpoint({
  id: 'listDeletedCases',
  summary: 'List deleted cases, with who deleted each, when and why',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/deleted-cases',
  access: 'read',
  params: None,
  query: z.strictObject({ ...paging, project_id: ProjectId.optional() }),
  response: list(DeletedCase),
  success: [200],
  errors: [],
});

export const upsertCase = endpoint({
  id: 'upsertCase',
  summary: 'Create a case, or update the one with the same case_uid',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases',
  access: 'write',
  params: None,
  query: DryRun,
  body: CaseInput,
  bodyLimit: BODY_LIMIT,
  response: Case,
  success: [200, 201],
  errors: ['not_found', 'not_here_yet', 'conflict', 'contested_profile', 'precondition_failed'],
});
