import { z } from 'zod';
import { RoundId } from '../../domain/round.ts';
import { RunSettings } from '../../domain/result.ts';
import { ContentHash } from '../../domain/run-record.ts';
import { RunRecorders } from '../../domain/run-recorders.ts';
import { RunRecord } from '../../domain/run.ts';
import { CaseUid, ProfileUid, ProfileVersion, RunUid } from '../../domain/uid.ts';
import { list, None, order, paging, text, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { ProjectId, known } from '../ids.ts';

export const RunInput = z.strictObject({
  case_uid: CaseUid,
  profile_uid: ProfileUid,
  profile_version: ProfileVersion.optional(),
  run_uid: RunUid.optional(),
  settings: RunSettings.partial().optional(),
  /**
   * Freeze although cells are contested. Needs `reason`, and the list of those cells is part of the
   * hash.
   */
  accept_contested: z.boolean().optional(),
  allow_unused_profile: z
    .boolean()
    .describe(
      'Freeze under a profile that the case does not use and in whose matrix nothing was ever ' +
        'recorded: without it that is refused, since it is mostly another profile by mistake.',
    )
    .optional(),
  /** Freeze only what was reviewed. */
  if_match: z
    .string()
    .max(200)
    .regex(/^(?:"[\x21\x23-\x7e]+"|[\x21\x23-\x7e]+)$/, 'Must be an entity tag.')
    .describe(
      'The ETag of the evidence that was reviewed, of any of its pages: ' +
        "412 if that profile's matrix has changed since. The same as the header If-Match.",
    )
    .optional(),
  reason: text(2_000, 1).optional(),
  round_id: RoundId.describe(
    'A released round of this matrix: its figures, commitments and what was settled are frozen too.',
  ).optional(),
});
export type RunInput = z.infer<typeof RunInput>;

/**
 * A run without its frozen content and per-item results. `reproduced`: its result followed from its
 * evidence when it was stored here. One that was frozen on another server names who brought it here
 * and when, since `created_by` and `created_at` are then as that one stated them.
 */
export const RunEntry = RunRecord.omit({ frozen: true, recorders: true }).extend({
  result: RunRecord.shape.result.omit({ items: true }),
  reproduced: z.boolean(),
  /** Present in a list of hidden runs. */
  hidden: z.literal(true).optional(),
});
export type RunEntry = z.infer<typeof RunEntry>;

export const listRuns = endpoint({
  id: 'listRuns',
  summary: 'List saved runs, newest first if not said otherwise',
  tag: 'Runs',
  method: 'GET',
  path: '/api/v1/runs',
  access: 'read',
  params: None,
  query: z.strictObject({
    ...paging,
    ...order,
    case_uid: CaseUid.optional(),
    project_id: ProjectId.optional(),
    profile_uid: ProfileUid.optional(),
    state: z.enum(['shown', 'hidden']).describe('Only these; `shown` if not said.').optional(),
  }),
  response: list(RunEntry),
  success: [200],
  errors: [],
});

export const createRun = endpoint({
  id: 'createRun',
  summary: 'Freeze case, profile, matrix and result',
  tag: 'Runs',
  method: 'POST',
  path: '/api/v1/runs',
  access: 'write',
  params: None,
  query: DryRun,
  body: RunInput,
  bodyLimit: BODY_LIMIT,
  response: RunRecord,
  minimal: RunEntry,
  success: [200, 201],
  errors: [
    'not_found',
    'not_here_yet',
    'empty_matrix',
    'unused_profile',
    'conflict',
    'contested_cells',
    'contested_profile',
    'precondition_failed',
  ],
});

export const getRun = endpoint({
  id: 'getRun',
  summary: 'Retrieve one saved run and its result',
  tag: 'Runs',
  method: 'GET',
  path: '/api/v1/runs/{runUid}',
  access: 'read',
  params: z.strictObject({ runUid: RunUid }),
  query: z.strictObject({
    content_hash: ContentHash.describe(
      'Of several runs that servers gave the same name: which; the oldest if not said.',
    ).optional(),
  }),
  response: RunRecord,
  success: [200],
  errors: ['not_found', 'not_here_yet', 'integrity_error'],
});

export const getRunRecorders = endpoint({
  id: 'getRunRecorders',
  summary:
    'Who recorded each outcome of a saved run, as the server that froze it says; the content hash does not cover it',
  tag: 'Runs',
  method: 'GET',
  path: '/api/v1/runs/{runUid}/recorders',
  access: 'read',
  params: getRun.params,
  query: getRun.query,
  /**
   * Null where it is not known: the run came from a server that did not say, or was frozen before
   * servers did.
   */
  response: z.strictObject({
    run_uid: known.runUid,
    content_hash: z.string(),
    recorders: RunRecorders.nullable(),
  }),
  success: [200],
  errors: ['not_found', 'not_here_yet', 'integrity_error'],
});
