import { z } from 'zod';
import { list, LongText, None, order, paging, searchIn, stamps, text, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { ContestedHead, FieldSettling } from './contested.ts';
import { ProjectId } from '../ids.ts';

export const ProjectDomain = z.enum([
  'general',
  'clinical_genetics',
  'wet_lab',
  'crispr',
  'ai_verification',
  'other',
]);

export const Project = z.strictObject({
  project_id: ProjectId,
  name: z.string(),
  description: z.string(),
  domain: ProjectDomain,
  /** Present where it is archived: lists leave it out unless they are asked for it. */
  archived: z.literal(true).optional(),
  ...stamps,
});
export type Project = z.infer<typeof Project>;

/**
 * Upsert key: `project_id` if sent, else the NFC-normalised, trimmed `name` in the account. Omitted
 * fields of an existing project stay.
 */
export const ProjectInput = z.strictObject({
  project_id: ProjectId.optional(),
  name: text(200, 1),
  description: LongText.optional(),
  domain: ProjectDomain.optional(),
  reason: text(2_000, 1).describe('Why it is changed; in its history.').optional(),
});
export type ProjectInput = z.infer<typeof ProjectInput>;

/** `changed`: when fields of the project itself last changed. */
export const ProjectSort = z.enum(['created', 'name', 'changed']);
export type ProjectSort = z.infer<typeof ProjectSort>;

export const listProjects = endpoint({
  id: 'listProjects',
  summary:
    "List the account's projects, in the order in which they were created if not said otherwise",
  tag: 'Projects',
  method: 'GET',
  path: '/api/v1/projects',
  access: 'read',
  params: None,
  query: z.strictObject({
    ...paging,
    ...order,
    ...searchIn('name'),
    sort: ProjectSort.optional(),
    state: z
      .enum(['active', 'archived', 'deleted'])
      .describe('Only these; `active` if not said.')
      .optional(),
  }),
  response: list(Project),
  success: [200],
  errors: [],
});

const projectParams = z.strictObject({ projectId: ProjectId });

export const getProject = endpoint({
  id: 'getProject',
  summary: 'Read one project',
  tag: 'Projects',
  method: 'GET',
  path: '/api/v1/projects/{projectId}',
  access: 'read',
  params: projectParams,
  query: None,
  response: Project,
  success: [200],
  errors: ['not_found'],
});

export const upsertProject = endpoint({
  id: 'upsertProject',
  summary: 'Create a project, or update the one with the same id or name',
  tag: 'Projects',
  method: 'POST',
  path: '/api/v1/projects',
  access: 'write',
  params: None,
  query: DryRun,
  body: ProjectInput,
  bodyLimit: BODY_LIMIT,
  response: Project,
  success: [200, 201],
  errors: ['not_found', 'conflict', 'precondition_failed'],
});

/**
 * A field of a project that people wrote without seeing each other's values; `x` is whether there
 * is such a project.
 */
export const ContestedProjectField = z.strictObject({
  field: z.enum(['name', 'description', 'domain', 'archived', 'x']),
  heads: z.array(ContestedHead),
});
export type ContestedProjectField = z.infer<typeof ContestedProjectField>;

export const listContestedProjectFields = endpoint({
  id: 'listContestedProjectFields',
  summary: 'What is contested of a project itself, with every writing and its author',
  tag: 'Projects',
  method: 'GET',
  path: '/api/v1/projects/{projectId}/contested-fields',
  access: 'read',
  params: projectParams,
  query: None,
  response: z.strictObject({ fields: z.array(ContestedProjectField) }),
  success: [200],
  errors: ['not_found'],
});

/** `heads` are those that were shown: where others have come, nothing is settled. */
export const ProjectFieldSettling = FieldSettling.extend({
  field: ContestedProjectField.shape.field,
});
export type ProjectFieldSettling = z.infer<typeof ProjectFieldSettling>;

export const settleProjectField = endpoint({
  id: 'settleProjectField',
  summary: 'Settle a contested field of a project: one of the writings holds, for a reason',
  tag: 'Projects',
  method: 'POST',
  path: '/api/v1/projects/{projectId}/contested-fields',
  access: 'write',
  params: projectParams,
  query: DryRun,
  body: ProjectFieldSettling,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ field: ContestedProjectField.shape.field, value: z.json() }),
  success: [200],
  errors: ['not_found', 'conflict'],
});
