import { z } from 'zod';
import { RawOutcome } from '../../domain/outcome.ts';
import { ContentHash } from '../../domain/run-record.ts';
import { UNLIKE } from '../../domain/run-diff.ts';
import { RunUid } from '../../domain/uid.ts';
import { paging, Timestamp } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

/** Most items and scores that a comparison names, of each kind; their numbers are always given. */
export const MAX_COMPARED = 200;

const ComparedRun = z.strictObject({
  run_uid: known.runUid,
  content_hash: z.string(),
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  created_at: Timestamp,
});

const Score = z.strictObject({
  /** Rules with evidence present. */
  k: z.int().min(0),
  /** Rules of the profile. */
  m: z.int().min(0),
  /** Posterior mean of the item's evidence sufficiency, 0 to 1. */
  theta_mean: z.number(),
});

export const ChangedCell = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  from: RawOutcome.nullable().describe('Of the first run; null: unrecorded.'),
  to: RawOutcome.nullable().describe('Of the second run; null: unrecorded.'),
  details: z.boolean().describe('Source value, provenance or notes differ too, or alone.'),
});

/**
 * What the second run has otherwise than the first. Items and rules are matched by their
 * identifiers; `cells` are those of items and rules that both have.
 */
export const RunComparison = z.strictObject({
  from: ComparedRun,
  to: ComparedRun,
  unlike: z
    .array(z.enum(UNLIKE))
    .describe(
      'What the two are of that differs: scores of runs with other rules, settings or engines ' +
        'do not compare. Empty where they do.',
    ),
  counts: z.strictObject({
    items_in_both: z.int().min(0),
    items_added: z.int().min(0),
    items_removed: z.int().min(0),
    cells: z.int().min(0),
    scores: z.int().min(0),
  }),
  rules: z.array(
    z.strictObject({
      rule_uid: z.string(),
      name: z.string(),
      change: z
        .enum(['same', 'text', 'added', 'removed'])
        .describe('`text`: the same identifier asks something else.'),
      cells: z.int().min(0).describe('Its cells in items of both runs whose outcome differs.'),
    }),
  ),
  items_added: z.array(z.string()).describe(`The first ${MAX_COMPARED}.`),
  items_removed: z.array(z.string()).describe(`The first ${MAX_COMPARED}.`),
  scores: z
    .array(z.strictObject({ item_uid: z.string(), label: z.string(), from: Score, to: Score }))
    .describe(`The ${MAX_COMPARED} that changed most.`),
  cells: z.array(ChangedCell).describe('A page of them, in the order of the second run.'),
  next_cursor: z.string().nullable(),
});
export type RunComparison = z.infer<typeof RunComparison>;

export const compareRuns = endpoint({
  id: 'compareRuns',
  summary: 'What a run has otherwise than another one, paged by changed cell',
  tag: 'Runs',
  method: 'GET',
  path: '/api/v1/runs/{runUid}/compare/{otherUid}',
  access: 'read',
  params: z.strictObject({ runUid: RunUid, otherUid: RunUid }),
  query: z.strictObject({
    ...paging,
    content_hash: ContentHash.describe('Of several runs of the first name: which.').optional(),
    other_hash: ContentHash.describe('Of several runs of the second name: which.').optional(),
  }),
  response: RunComparison,
  success: [200],
  errors: ['not_found', 'not_here_yet', 'integrity_error'],
});
