import { z } from 'zod';
import { CaseUid, ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import { DryRun, text } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

/** Most outcomes that are carried forward in one request. */
export const MAX_CARRIED = 100_000;

export const CarryForwardInput = z.strictObject({
  profile_uid: ProfileUid,
  from_version: ProfileVersion.describe('The version whose outcomes are copied.'),
  to_version: ProfileVersion.describe('The version under which they are recorded.'),
  use: z.boolean().describe('Whether the case uses `to_version` from then on.').optional(),
  reason: text(2_000, 1).describe('Why; in the history of each cell.').optional(),
});
export type CarryForwardInput = z.infer<typeof CarryForwardInput>;

/** What became of a rule. */
export const CarriedRule = z.strictObject({
  rule_uid: z.string(),
  rule: z
    .enum(['unchanged', 'changed', 'removed', 'added'])
    .describe(
      'Outcomes are copied where name, description and meanings are the same in both versions: `unchanged`.',
    ),
  recorded: z.int().min(0).describe('Its outcomes under `from_version`.'),
  copied: z.int().min(0).describe('Cells that were copied.'),
});
export type CarriedRule = z.infer<typeof CarriedRule>;

export const CarriedForward = z.strictObject({
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  from_version: z.string().describe('The version whose outcomes were copied.'),
  to_version: z.string().describe('The version under which they are recorded.'),
  copied: z.int().min(0).describe('Cells that were copied.'),
  kept: z
    .int()
    .min(0)
    .describe('Cells in which something was recorded under `to_version` already: left as it is.'),
  contested: z
    .int()
    .min(0)
    .describe('Cells of which people recorded different values: not copied.'),
  rules: z.array(CarriedRule),
  /** Changes of the case's log that this made: a revert takes them back. */
  changes: z.array(z.string()),
});
export type CarriedForward = z.infer<typeof CarriedForward>;

export const carryForward = endpoint({
  id: 'carryForward',
  summary: 'Copy outcomes to another version of the profile, where a rule means the same',
  tag: 'Cells',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/carry-forward',
  access: 'write',
  params: z.strictObject({ caseUid: CaseUid }),
  query: DryRun,
  body: CarryForwardInput,
  bodyLimit: BODY_LIMIT,
  response: CarriedForward,
  success: [200],
  errors: ['not_found', 'not_here_yet', 'contested_profile', 'conflict', 'case_approved'],
});
