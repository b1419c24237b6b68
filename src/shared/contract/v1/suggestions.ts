import { z } from 'zod';
import { CaseUid, ItemUid, ProfileUid, ProfileVersion, RuleUid } from '../../domain/uid.ts';
import { RawOutcome } from '../../domain/outcome.ts';
import { ParticipantId } from '../../domain/round.ts';
import { ContentHash } from '../../domain/run-record.ts';
import { list, LongText, paging, Provenance, text, Timestamp, DryRun } from '../common.ts';
import { BODY_LIMIT, BULK_BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';
import { RecordedBy } from './evidence.ts';

/** The name of an entry of the case's log, as histories tell it. */
export const SuggestionId = z
  .string()
  .regex(/^c1_[A-Za-z0-9_-]{43}#(0|[1-9][0-9]{0,3})$/, 'Must be the name of an entry.');

const Revision = z.int().min(0).max(9_007_199_254_740_991);
const Model = z.strictObject({ name: text(200, 1), version: text(200, 1) });
const Confidence = z.number().min(0).max(1);
const PromptHash = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hex.');

/** Most suggestions, and most decisions, of one request. */
export const MAX_SUGGESTIONS = 10_000;

/**
 * What the caller suggests for a cell; it replaces what the same caller suggested before, and an
 * outcome of null withdraws that. `basis` is the entry of the record that the suggestion was made
 * from (null: an unrecorded cell); without it that is what the cell shows now. With `if_revision`
 * the suggestion is stored only if the cell still has the revision that its author read.
 */
export const SuggestionInput = z.strictObject({
  item_uid: ItemUid,
  rule_uid: RuleUid,
  raw_outcome: RawOutcome.nullable(),
  source_value: LongText.optional(),
  quote: LongText.optional(),
  locator: text(1_000).optional(),
  provenance: Provenance.optional(),
  confidence: Confidence.optional(),
  model: Model.optional(),
  prompt_sha256: PromptHash.optional(),
  basis: SuggestionId.nullable().optional(),
  if_revision: Revision.optional(),
});
export type SuggestionInput = z.infer<typeof SuggestionInput>;

const matrix = { profile_uid: ProfileUid, profile_version: ProfileVersion.optional() };

export const SuggestionsInput = z.strictObject({
  ...matrix,
  suggestions: z.array(SuggestionInput).min(1).max(MAX_SUGGESTIONS),
  on_conflict: z
    .enum(['refuse', 'skip'])
    .describe(
      "What becomes of suggestions whose `if_revision` is not the cell's: " +
        '`refuse` (if not said) stores nothing of the request, `skip` leaves those out.',
    )
    .optional(),
  reason: text(2_000, 1).optional(),
});
export type SuggestionsInput = z.infer<typeof SuggestionsInput>;

/**
 * `open`: it waits for a decision. `stale`: so it does, but the cell or the profile's document is
 * no longer what it was made from. `withdrawn`: its source took it back.
 */
export const SuggestionState = z.enum(['open', 'stale', 'accepted', 'refused', 'withdrawn']);
export type SuggestionState = z.infer<typeof SuggestionState>;

/**
 * What became of one suggestion, and the revision of the cell that it is for. Of a cell that an
 * open round hides from its author neither state nor revision is told.
 */
export const SuggestionAnswer = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  status: z.enum(['written', 'unchanged', 'skipped']),
  suggestion_id: z.string().nullable(),
  state: SuggestionState.nullable(),
  revision: z.int().min(0).exactOptional(),
});
export type SuggestionAnswer = z.infer<typeof SuggestionAnswer>;

const ofMatrix = {
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
};

/** `suggestions` are in the order of the request. */
export const SuggestionsReceipt = z.strictObject({
  ...ofMatrix,
  written: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  suggestions: z.array(SuggestionAnswer),
  changes: z.array(z.string()),
});
export type SuggestionsReceipt = z.infer<typeof SuggestionsReceipt>;
/** The short answer. */
const ShortSuggestionsReceipt = SuggestionsReceipt.extend({
  suggestions: z.array(SuggestionAnswer).describe('Those alone that were skipped.'),
});

/**
 * What a person decided last about a source's suggestions for the cell: about this one, or about an
 * earlier one where `suggestion_id` is another. `contested`: people decided differently without
 * seeing each other's.
 */
export const SuggestionVerdict = z.strictObject({
  suggestion_id: z.string(),
  verdict: z.enum(['accepted', 'refused']),
  reason: z.string().nullable(),
  by: z.string(),
  at: Timestamp,
  contested: z.boolean(),
});

/**
 * What one source says of one cell. `source` is the id of an agent's key, which viewers do not see,
 * or of a person. An outcome of null was withdrawn.
 */
export const SuggestionEntry = z.strictObject({
  suggestion_id: z.string(),
  item_uid: z.string(),
  rule_uid: z.string(),
  source: z.string().nullable(),
  suggested_by: RecordedBy,
  suggested_at: Timestamp,
  state: SuggestionState,
  raw_outcome: RawOutcome.nullable(),
  source_value: z.string().nullable(),
  quote: z.string().nullable(),
  locator: z.string().nullable(),
  provenance: Provenance.nullable(),
  confidence: Confidence.nullable(),
  model: Model.nullable(),
  prompt_sha256: z.string().nullable(),
  basis: z.string().nullable(),
  document: ContentHash.nullable(),
  decision: SuggestionVerdict.nullable(),
});
export type SuggestionEntry = z.infer<typeof SuggestionEntry>;

/** Which suggestions are meant; what is not said is any. */
const filters = {
  source: ParticipantId.optional().describe('The id of a key, or of a person.'),
  rule_uid: RuleUid.optional(),
  item_uid: ItemUid.optional(),
  raw_outcome: RawOutcome.optional(),
};

export const SuggestionFilter = z.strictObject({
  ...filters,
  min_confidence: Confidence.describe('Leaves out those without a confidence.').optional(),
});
export type SuggestionFilter = z.infer<typeof SuggestionFilter>;

const caseParams = z.strictObject({ caseUid: CaseUid });

export const listSuggestions = endpoint({
  id: 'listSuggestions',
  summary: 'List what sources suggest for the cells of a case under a profile',
  tag: 'Suggestions',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/suggestions',
  access: 'read',
  params: caseParams,
  query: z.strictObject({ ...matrix, ...filters, state: SuggestionState.optional(), ...paging }),
  response: list(SuggestionEntry),
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

export const suggestOutcomes = endpoint({
  id: 'suggestOutcomes',
  summary: 'Suggest outcomes for cells, replace or withdraw own suggestions: all or nothing',
  tag: 'Suggestions',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/suggestions',
  access: 'suggest',
  params: caseParams,
  query: DryRun,
  body: SuggestionsInput,
  bodyLimit: BULK_BODY_LIMIT,
  response: SuggestionsReceipt,
  minimal: ShortSuggestionsReceipt,
  success: [200],
  errors: [
    'not_found',
    'not_here_yet',
    'contested_profile',
    'precondition_failed',
    'citation_required',
  ],
});

const reason = text(2_000, 1);
const Verdict = z.enum(['accept', 'refuse']);

/**
 * What a person decides about one suggestion, open or stale. Whoever accepts may state another
 * source value and provenance than the suggestion does; another outcome is a recording of one's
 * own. With `if_revision` it is decided only if the cell still has the revision that the person was
 * shown beside the suggestion.
 */
export const DecisionInput = z
  .strictObject({
    suggestion_id: SuggestionId,
    verdict: Verdict,
    source_value: LongText.nullable().optional(),
    provenance: Provenance.nullable().optional(),
    if_revision: Revision.optional(),
    reason: reason.optional(),
  })
  .superRefine(({ verdict, source_value, provenance, reason: why }, ctx) => {
    if (verdict === 'refuse' && why === undefined)
      ctx.addIssue({ code: 'custom', path: ['reason'], message: 'A refusal needs a reason.' });
    if (verdict === 'refuse' && (source_value !== undefined || provenance !== undefined))
      ctx.addIssue({ code: 'custom', message: 'Only what is accepted has a source.' });
  });
export type DecisionInput = z.infer<typeof DecisionInput>;

/**
 * One verdict on all open suggestions that the filter means, of those that a preview has named:
 * what was decided, replaced or has become stale since is left out and told.
 */
export const DecisionRule = z
  .strictObject({
    verdict: Verdict,
    filter: SuggestionFilter,
    suggestion_ids: z
      .array(SuggestionId)
      .max(MAX_SUGGESTIONS)
      .describe('As the preview named them; not given with `preview`.')
      .optional(),
    reason: reason.optional(),
  })
  .superRefine(({ verdict, reason: why }, ctx) => {
    if (verdict === 'refuse' && why === undefined)
      ctx.addIssue({ code: 'custom', path: ['reason'], message: 'A refusal needs a reason.' });
  });
export type DecisionRule = z.infer<typeof DecisionRule>;

/** Either decisions by name, or a rule: with `preview` it only tells what it means. */
export const DecisionsInput = z
  .strictObject({
    ...matrix,
    decisions: z.array(DecisionInput).min(1).max(MAX_SUGGESTIONS).optional(),
    rule: DecisionRule.optional(),
    preview: z.boolean().optional(),
    reason: reason.describe('Why; in the history of each cell.').optional(),
  })
  .superRefine(({ decisions, rule, preview }, ctx) => {
    if ((decisions === undefined) === (rule === undefined))
      ctx.addIssue({ code: 'custom', message: 'Give either decisions or a rule.' });
    else if (preview === true && rule === undefined)
      ctx.addIssue({ code: 'custom', path: ['preview'], message: 'Only a rule is previewed.' });
    else if (rule !== undefined && (rule.suggestion_ids === undefined) !== (preview === true))
      ctx.addIssue({
        code: 'custom',
        path: ['rule', 'suggestion_ids'],
        message: 'Preview the rule first, and name what the preview named.',
      });
  });
export type DecisionsInput = z.infer<typeof DecisionsInput>;

/**
 * `decided`: it was carried out. `left`: it was not, since the suggestion is in another state, the
 * cell has another revision than `if_revision`, its item is removed, or (by a rule) people contest
 * the cell.
 */
export const DecisionAnswer = z.strictObject({
  suggestion_id: z.string(),
  item_uid: z.string(),
  rule_uid: z.string(),
  status: z.enum(['decided', 'left', 'previewed']),
  state: z.enum([...SuggestionState.options, 'superseded']),
});
export type DecisionAnswer = z.infer<typeof DecisionAnswer>;

/** `changes` are those of the case's log: a revert takes the decisions back. */
export const DecisionsReceipt = z.strictObject({
  ...ofMatrix,
  decided: z.int(),
  left: z.int(),
  decisions: z.array(DecisionAnswer),
  changes: z.array(z.string()),
});
export type DecisionsReceipt = z.infer<typeof DecisionsReceipt>;

export const decideSuggestions = endpoint({
  id: 'decideSuggestions',
  summary: 'Accept or refuse suggestions, one by one or by a previewed rule; people only',
  tag: 'Suggestions',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/suggestions/decisions',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: DecisionsInput,
  bodyLimit: BULK_BODY_LIMIT,
  response: DecisionsReceipt,
  success: [200],
  errors: ['not_found', 'not_here_yet', 'contested_profile', 'case_approved'],
});

export const PolicyInput = z.strictObject({
  requires_source: z.boolean(),
  reason: reason.optional(),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

export const setCasePolicy = endpoint({
  id: 'setCasePolicy',
  summary: 'Say whether suggestions and agents’ outcomes have to show a source; people only',
  tag: 'Suggestions',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/policy',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: PolicyInput,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ case_uid: known.caseUid, requires_source: z.boolean() }),
  success: [200],
  errors: ['not_found'],
});
