import { z } from 'zod';
import { RawOutcome } from '../../domain/outcome.ts';
import { CaseUid, ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import { paging, Seq, Timestamp, Wait } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';
import { SuggestionEntry } from './suggestions.ts';

/** An unrecorded cell for which the caller has suggested nothing. */
export const CellToJudge = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  revision: z.int().min(0).describe('As `if_revision` of a suggestion names it.'),
});

/** What a person decided about a suggestion of the caller. */
export const DecidedSuggestion = z.strictObject({
  suggestion_id: z.string(),
  item_uid: z.string(),
  rule_uid: z.string(),
  raw_outcome: RawOutcome.nullable(),
  verdict: z.enum(['accepted', 'refused']),
  reason: z.string().nullable(),
  by: z.string(),
  at: Timestamp,
});
export type DecidedSuggestion = z.infer<typeof DecidedSuggestion>;

export const ToJudge = z.strictObject({
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  cells: z
    .array(CellToJudge)
    .describe('Unrecorded cells for which the caller has suggested nothing.'),
  stale: z
    .array(SuggestionEntry)
    .describe('Suggestions of the caller whose cells changed since: read these cells again.'),
  decided: z
    .array(DecidedSuggestion)
    .describe('What people decided about suggestions of the caller after `after`, with reasons.'),
  decided_left: z
    .int()
    .min(0)
    .describe('Decisions that this answer has no room for: list suggestions by state.'),
  after: z.int().min(0).describe('Position of the log: `after` of the next call.'),
  next_cursor: z.string().nullable(),
});
export type ToJudge = z.infer<typeof ToJudge>;

export const listToJudge = endpoint({
  id: 'listToJudge',
  summary: 'The cells of a case that the caller has yet to judge, and what became of suggestions',
  tag: 'Suggestions',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/to-judge',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid }),
  query: z.strictObject({
    profile_uid: ProfileUid,
    profile_version: ProfileVersion.optional(),
    after: Seq.describe(
      '`after` of the answer before: empty where nobody but the caller has written since.',
    ).optional(),
    wait: Wait,
    ...paging,
  }),
  response: ToJudge,
  waits: true,
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});
