import { z } from 'zod';
import {
  Commitment,
  Fit,
  FrozenRound,
  ParticipantId,
  RoundId,
  RoundTerms,
} from '../../domain/round.ts';
import { LAYER_FILE_BYTES, LayerFile } from '../../domain/layer-file.ts';
import { RawOutcome } from '../../domain/outcome.ts';
import { CaseUid, ItemUid, ProfileUid, ProfileVersion, RuleUid } from '../../domain/uid.ts';
import { list, LongText, None, paging, Provenance, text, Timestamp, DryRun } from '../common.ts';
import { BODY_LIMIT, BULK_BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';
import { MAX_OUTCOMES, RawOutcomeInput } from './evidence.ts';

const caseParams = z.strictObject({ caseUid: CaseUid });
export const roundParams = z.strictObject({ caseUid: CaseUid, roundId: RoundId });
const reason = text(2_000, 1);
const terms = RoundTerms.shape;

export const RoundInput = z.strictObject({
  title: text(200, 1),
  recorders: terms.recorders.describe(
    'Who records without seeing the others: people by user_id, agents by the id of their key.',
  ),
  profile_uid: ProfileUid,
  profile_version: ProfileVersion.optional(),
  items: terms.items.describe('`all`, or the rows that are recorded.').optional(),
  rules: terms.rules.describe('`all`, or the columns that are recorded.').optional(),
  quorum: terms.quorum
    .describe('So many recorders who are done release the round; all of them if not said.')
    .optional(),
  record: terms.record
    .describe(
      'Whether its recorders are shown the record of these cells meanwhile; `hidden` if not said.',
    )
    .optional(),
});
export type RoundInput = z.infer<typeof RoundInput>;

/**
 * A recorder of a round. `name` is null where this server does not know them. `commitments`: what
 * they committed to when they were done; one that counts has no `after_release`.
 */
export const RoundRecorder = z.strictObject({
  recorder: ParticipantId,
  name: z.string().nullable(),
  kind: z.enum(['human', 'agent']),
  commitments: z.array(Commitment),
  removed: z.boolean(),
});

/**
 * Named recorders record the same cells without seeing each other, each in a layer of their own.
 * `released`: everybody who reads the case reads the layers, since `quorum` recorders are done or
 * because an owner said so, with a reason.
 */
export const Round = z.strictObject({
  case_uid: known.caseUid,
  round_id: z.string(),
  title: z.string(),
  state: z.enum(['open', 'released']),
  recorders: z.array(RoundRecorder),
  profile_uid: known.profileUid,
  profile_version: z.string(),
  items: terms.items,
  rules: terms.rules,
  quorum: z.int(),
  record: terms.record,
  opened_by: known.userId,
  releases: z.array(
    z.strictObject({ by: z.string(), at: Timestamp, reason: z.string().nullable() }),
  ),
});
export type Round = z.infer<typeof Round>;

export const listRounds = endpoint({
  id: 'listRounds',
  summary: 'Rounds of independent recording of a case',
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds',
  access: 'read',
  params: caseParams,
  query: None,
  response: z.strictObject({ data: z.array(Round) }),
  success: [200],
  errors: ['not_found'],
});

export const openRound = endpoint({
  id: 'openRound',
  summary: 'Open a round: named people and agents record cells without seeing each other',
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: RoundInput,
  bodyLimit: BODY_LIMIT,
  response: Round,
  success: [201],
  errors: ['not_found', 'not_here_yet', 'contested_profile'],
});

export const getRound = endpoint({
  id: 'getRound',
  summary: 'A round, who is done, and whether it is released',
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}',
  access: 'read',
  params: roundParams,
  query: None,
  response: Round,
  success: [200],
  errors: ['not_found'],
});

/**
 * One cell of the caller's layer; null clears a field. Omitted notes stay, an omitted outcome too.
 * Omitted `source_value` and `provenance` stay only while the outcome does.
 */
export const RoundOutcomeInput = z.strictObject({
  item_uid: ItemUid,
  rule_uid: RuleUid,
  raw_outcome: RawOutcomeInput.optional(),
  source_value: LongText.nullable().optional(),
  notes: LongText.nullable().optional(),
  provenance: Provenance.nullable().optional(),
});
export type RoundOutcomeInput = z.infer<typeof RoundOutcomeInput>;

export const RoundEvidenceInput = z.strictObject({
  outcomes: z.array(RoundOutcomeInput).min(1).max(MAX_OUTCOMES),
  reason: reason.optional(),
});
export type RoundEvidenceInput = z.infer<typeof RoundEvidenceInput>;

export const recordInRound = endpoint({
  id: 'recordInRound',
  summary: "Record cells in the caller's own layer of a round, which nobody else reads meanwhile",
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/evidence',
  access: 'write',
  params: roundParams,
  query: DryRun,
  body: RoundEvidenceInput,
  bodyLimit: BULK_BODY_LIMIT,
  response: z.strictObject({
    round_id: z.string(),
    outcomes_written: z.int(),
    outcomes_unchanged: z.int(),
    changes: z.array(z.string()),
  }),
  success: [200],
  errors: ['not_found', 'author_not_allowed'],
});

/**
 * `fit`: whether the layer is what its recorder committed to (`awaited`: some of it is not here);
 * only what fits is counted.
 */
export const LayerSummary = z.strictObject({
  recorder: ParticipantId,
  name: z.string().nullable(),
  changes: z.int(),
  fit: Fit,
});

/**
 * `entry` names the outcome in the log, for whoever settles a difference. `committed`: it is part
 * of what the recorder committed to.
 */
export const LayerCell = z.strictObject({
  recorder: ParticipantId,
  entry: z.string().nullable(),
  item_uid: z.string(),
  rule_uid: z.string(),
  raw_outcome: RawOutcome.nullable(),
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: Provenance.nullable(),
  updated_at: Timestamp,
  committed: z.boolean(),
});
export type LayerCell = z.infer<typeof LayerCell>;

export const getRoundEvidence = endpoint({
  id: 'getRoundEvidence',
  summary: "The caller's own layer of a round; once it is released, all of them",
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/evidence',
  access: 'read',
  params: roundParams,
  query: z.strictObject(paging),
  response: list(LayerCell).extend({
    round_id: z.string(),
    state: z.enum(['open', 'released']),
    layers: z.array(LayerSummary),
  }),
  success: [200],
  errors: ['not_found'],
});

export const finishRound = endpoint({
  id: 'finishRound',
  summary: "Be done: commit to one's layer as it is. Later changes are kept and never counted",
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/done',
  access: 'write',
  params: roundParams,
  query: DryRun,
  body: None,
  bodyLimit: BODY_LIMIT,
  response: Round,
  success: [200],
  errors: ['not_found', 'author_not_allowed', 'conflict'],
});

export const exportLayer = endpoint({
  id: 'exportLayer',
  summary: "The caller's own layer of a round as a file, with the commitment to it, once done",
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/layer',
  access: 'read',
  params: roundParams,
  query: None,
  response: LayerFile,
  success: [200],
  errors: ['not_found', 'author_not_allowed', 'conflict'],
});

export const importLayer = endpoint({
  id: 'importLayer',
  summary: "Bring the caller's own layer of a round from a file, and the commitment to it",
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/layer',
  access: 'write',
  params: roundParams,
  query: DryRun,
  body: LayerFile,
  bodyLimit: LAYER_FILE_BYTES,
  response: Round,
  success: [200],
  errors: ['not_found', 'author_not_allowed', 'conflict'],
});

export const releaseRound = endpoint({
  id: 'releaseRound',
  summary:
    'Release a round before its quorum is done: everybody who reads the case reads its layers',
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/release',
  access: 'session',
  role: 'owner',
  params: roundParams,
  query: DryRun,
  body: z.strictObject({ reason }),
  bodyLimit: BODY_LIMIT,
  response: Round,
  success: [200],
  errors: ['not_found'],
});

export const removeRecorder = endpoint({
  id: 'removeRecorder',
  summary: 'Remove a recorder: their layer stays, and they record no more in it',
  tag: 'Rounds',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/removals',
  access: 'session',
  params: roundParams,
  query: DryRun,
  body: z.strictObject({ recorder: ParticipantId, reason }),
  bodyLimit: BODY_LIMIT,
  response: Round,
  success: [200],
  errors: ['not_found', 'insufficient_scope'],
});

/**
 * How far the committed layers agree, over all cells of the round and for each rule. What is
 * undefined is null. `differing`: the cells that recorders rated, and not alike, at most 1,000 of
 * them; `differ` says how many there are.
 */
export const getAgreement = endpoint({
  id: 'getAgreement',
  summary: 'Agreement of the recorders of a released round',
  tag: 'Rounds',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/rounds/{roundId}/agreement',
  access: 'read',
  params: roundParams,
  query: None,
  response: z.strictObject({
    round_id: z.string(),
    recorders: z.array(LayerSummary.extend({ rated: z.int() })),
    figures: FrozenRound.shape.figures,
    differ: z.int(),
    differing: z.array(
      z.strictObject({
        item_uid: z.string(),
        rule_uid: z.string(),
        /** Of each recorder, in the order of `recorders`. */
        outcomes: z.array(RawOutcome.nullable()),
      }),
    ),
  }),
  success: [200],
  errors: ['not_found', 'conflict'],
});
