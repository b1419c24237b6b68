import { z } from 'zod';
import { ParticipantId, CellAgreement } from '../../domain/round.ts';
import { RawOutcome } from '../../domain/outcome.ts';
import { list, paging, Provenance } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';
import { LayerSummary, roundParams } from './rounds.ts';

/** What a recorder is counted with in a cell; `entry` names it in the log. */
export const Rating = z.strictObject({
  recorder: ParticipantId,
  entry: z.string(),
  raw_outcome: RawOutcome,
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: Provenance.nullable(),
});
export type Rating = z.infer<typeof Rating>;

/**
 * `settled`: a person recorded the outcome that the record shows from these ratings, with `entry`;
 * null where it shows something else.
 */
export const RatedCell = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  agreement: CellAgreement,
  ratings: z.array(Rating),
  settled: z
    .strictObject({
      entry: z.string(),
      kind: z.enum(['agreed', 'adjudicated']),
      by: known.userId,
      reason: z.string().nullable(),
    })
    .nullable(),
});
export type RatedCell = z.infer<typeof RatedCell>;

/** Each page reads all layers, so it holds more than those of other lists. */
const MOST_CELLS = 2_000;
const limit = z
  .string()
  .regex(/^[1-9][0-9]{0,3}$/, 'Must be a whole number from 1 to 2,000.')
  .refine((text) => Number(text) <= MOST_CELLS, 'Must be a whole number from 1 to 2,000.')
  .meta({ type: 'integer', minimum: 1, maximum: MOST_CELLS, default: 50 })
  .describe('Cells of a page, 1 to 2,000; 50 if not said.')
  .optional();

export const listRatings = endpoint({
  id: 'listRatings',
  summary:
    'What counted recorders of a released round said of each cell, and what it was settled as',
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/ratings',
  access: 'read',
  params: roundParams,
  query: z.strictObject({
    ...paging,
    limit,
    agreement: CellAgreement.describe(
      'Only cells in which the recorders agree or differ so.',
    ).optional(),
  }),
  response: list(RatedCell).extend({
    round_id: z.string(),
    recorders: z.array(LayerSummary),
  }),
  success: [200],
  errors: ['not_found', 'conflict'],
});
