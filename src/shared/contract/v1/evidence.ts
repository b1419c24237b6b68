import { z } from 'zod';
import { CaseUid, ItemUid, ProfileUid, ProfileVersion, RuleUid } from '../../domain/uid.ts';
import { Sender } from '../../domain/sender.ts';
import {
  list,
  LongText,
  Metadata,
  None,
  OutcomeFilter,
  paging,
  Provenance,
  stamps,
  text,
  Timestamp,
  DryRun,
} from '../common.ts';
import { BULK_BODY_LIMIT, endpoint } from '../endpoint.ts';
import { fieldsOf, membersOf } from '../fields.ts';
import { isPlainCell, isPlainOutcome, withShortcut } from './plain-cells.ts';
import { known } from '../ids.ts';

/**
 * Exactly one of the three strings, or null to clear the cell to unrecorded. Never a JSON boolean,
 * another case, or padding.
 */
export const RawOutcomeInput = z
  .enum(['TRUE', 'FALSE', 'NA'], {
    error:
      'Must be exactly one of the strings "TRUE", "FALSE" and "NA", or null to clear; a JSON boolean, another case or padding is refused.',
  })
  .nullable();

const detailFields = {
  source_value: LongText.nullable().optional(),
  notes: LongText.nullable().optional(),
  provenance: Provenance.nullable().optional(),
};

/**
 * The revision that the writer was shown: the cell is written only if it has that one, with 0 only
 * where it is unrecorded.
 */
const if_revision = z.int().min(0).max(9_007_199_254_740_991).optional();

const cellFields = {
  rule_uid: RuleUid,
  raw_outcome: RawOutcomeInput.optional(),
  ...detailFields,
  if_revision,
};

/** One cell to write in an item that is named beside it. */
export const CellInput = withShortcut(z.strictObject(cellFields), isPlainCell);
export type CellInput = z.infer<typeof CellInput>;

/**
 * One cell to write; null clears a field. Omitted notes stay, an omitted outcome too. Omitted
 * `source_value` and `provenance` stay only while the outcome does: another outcome starts without
 * them, since they proved the one before.
 */
export const OutcomeInput = withShortcut(
  z.strictObject({ item_uid: ItemUid, ...cellFields }),
  isPlainOutcome,
);
export type OutcomeInput = z.infer<typeof OutcomeInput>;

const itemFields = {
  item_uid: ItemUid,
  item_type: text(64, 1).optional(),
  label: text(500).optional(),
  metadata: Metadata.optional(),
  /** Rank of the row; ties are ordered by item_uid. A new item without one is placed last. */
  position: z.number().min(-9_007_199_254_740_991).max(9_007_199_254_740_991).optional(),
};

/** One item to write. Omitted fields of an existing item stay. */
export const ItemInput = z.strictObject(itemFields);
export type ItemInput = z.infer<typeof ItemInput>;

/** The server names an item that is sent without its `item_uid`, and the receipt says how. */
const unnamed = {
  item_uid: ItemUid.describe(
    'Identifier of the item; without it a new item is made, and the receipt names it.',
  ).optional(),
};
export const NewItemInput = ItemInput.extend(unnamed);
export type NewItemInput = z.infer<typeof NewItemInput>;

export const ItemWithEvidenceInput = z.strictObject({
  ...itemFields,
  evidence: z.array(CellInput).max(500).optional(),
});

export const NewItemWithEvidenceInput = ItemWithEvidenceInput.extend(unnamed);

/** Largest number of outcomes in one request, items in a case, rules in a profile. */
export const MAX_OUTCOMES = 10_000;
export const MAX_ITEMS = 100_000;

const why = {
  reason: text(2_000, 1).optional(),
  on_conflict: z
    .enum(['refuse', 'skip'])
    .describe(
      "What becomes of outcomes whose `if_revision` is not the cell's: " +
        '`refuse` (if not said) stores nothing of the request, ' +
        '`skip` leaves those cells as they are and writes the others.',
    )
    .optional(),
};

export const EvidenceInput = z.strictObject({
  profile_uid: ProfileUid,
  profile_version: ProfileVersion.optional(),
  items: z.array(NewItemInput).max(MAX_OUTCOMES).optional(),
  outcomes: z.array(OutcomeInput).max(MAX_OUTCOMES).optional(),
  ...why,
});

export const EvidenceBatchInput = z.strictObject({
  case_uid: CaseUid,
  profile_uid: ProfileUid,
  profile_version: ProfileVersion.optional(),
  items: z.array(NewItemWithEvidenceInput).max(MAX_OUTCOMES),
  ...why,
});

/**
 * Who recorded an outcome. For one that an undo brought back: whoever first recorded it. `key_id`
 * is the key that an agent used; viewers do not see it. `accepted_by` is the person who accepted an
 * agent's suggestion.
 */
export const RecordedBy = z.strictObject({
  kind: z.enum(['human', 'agent', 'import']),
  name: z.string(),
  key_id: known.keyId.exactOptional(),
  accepted_by: z.string().exactOptional(),
});
export type RecordedBy = z.infer<typeof RecordedBy>;

export const Cell = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  raw_outcome: z.enum(['TRUE', 'FALSE', 'NA']).nullable(),
  matrix_value: z.union([z.literal(0), z.literal(1)]).nullable(),
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: Provenance.nullable(),
  updated_at: Timestamp,
  updated_by: z.string(),
  /** Null where only notes were written. */
  recorded_by: RecordedBy.nullable(),
  revision: z.int().min(1),
  /**
   * True where people wrote different values without seeing each other's, and nobody has settled
   * it.
   */
  contested: z.boolean(),
});
export type Cell = z.infer<typeof Cell>;

/**
 * What became of one outcome. `revision` is the cell's afterwards; `present` is the cell that was
 * skipped, null where it is unrecorded, and not told in an approved case. A dry run answers `written` without a revision for every
 * cell that an open round hides from the caller.
 */
export const OutcomeAnswer = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  status: z.enum(['written', 'suggested', 'unchanged', 'skipped']),
  revision: z.int().min(0).exactOptional(),
  present: Cell.nullable().exactOptional(),
});
export type OutcomeAnswer = z.infer<typeof OutcomeAnswer>;

/** An item that was sent without a name, and the one that the server gave it. */
export const NamedItem = z.strictObject({ path: z.string(), item_uid: z.string() });
export type NamedItem = z.infer<typeof NamedItem>;

/**
 * `changes` are the changes of the case's log that the request made: a revert takes them back.
 * `outcomes` has a result for each outcome, in the order of the request, where the request names a
 * revision or `on_conflict`.
 */
export const EvidenceReceipt = z.strictObject({
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  items_created: z.int(),
  items_updated: z.int(),
  outcomes_written: z.int(),
  outcomes_unchanged: z.int(),
  outcomes_skipped: z.int().exactOptional(),
  named_items: z.array(NamedItem).exactOptional(),
  /** In an approved case: they wait as suggestions of whoever recorded them. */
  outcomes_suggested: z.int().exactOptional(),
  changes: z.array(z.string()),
  outcomes: z.array(OutcomeAnswer).exactOptional(),
});
export type EvidenceReceipt = z.infer<typeof EvidenceReceipt>;

/** The short answer. */
const ShortEvidenceReceipt = EvidenceReceipt.extend({
  outcomes: z.array(OutcomeAnswer).describe('Those alone that were skipped.').exactOptional(),
});

export const Item = z.strictObject({
  item_uid: z.string(),
  item_type: z.string(),
  label: z.string(),
  metadata: Metadata,
  position: z.number(),
  ...stamps,
});
export type Item = z.infer<typeof Item>;

export const Summary = z.strictObject({
  items: z.int(),
  rules: z.int(),
  recorded: z.int(),
  unrecorded: z.int(),
  evidence_present: z.int(),
  problem_found: z.int(),
  not_available: z.int(),
});

/** Lists recorded cells only: a pair of item and rule that is not listed is unrecorded. */
export const Evidence = z.strictObject({
  case_uid: known.caseUid,
  /** Present where the case was deleted: its evidence can still be read. */
  deleted: z.literal(true).optional(),
  profile_uid: known.profileUid,
  profile_version: z.string(),
  /** The document that the matrix uses. */
  profile_digest: z.string(),
  /**
   * True where several documents have this version and a person has yet to settle which of them
   * this matrix uses; nothing can be recorded or frozen before.
   */
  profile_unsettled: z.literal(true).optional(),
  rules: z.array(z.string()),
  items: z.array(Item.extend({ evidence: z.array(Cell) })),
  summary: Summary,
  next_cursor: z.string().nullable(),
});
export type Evidence = z.infer<typeof Evidence>;

/** Members of cells, and of items, that a request may choose. */
export const CELL_MEMBERS = membersOf(Cell, ['item_uid', 'rule_uid']);
export const ITEM_MEMBERS = membersOf(Item, ['item_uid']);
export const CellMembers = fieldsOf(CELL_MEMBERS, 'cells');
export const ItemMembers = fieldsOf([...ITEM_MEMBERS, ...CELL_MEMBERS], 'items and cells');

/** A cell with the members that a request chose. */
export const CellPart = Cell.partial().required({ item_uid: true, rule_uid: true });
export const ItemPart = Item.partial().required({ item_uid: true });

const EvidencePart = Evidence.extend({
  items: z.array(ItemPart.extend({ evidence: z.array(CellPart) })),
});

const caseParams = z.strictObject({ caseUid: CaseUid });

const ROWS = 'Lists only items with a cell whose `recorded_by` says so, with all of their cells';
const recordedByQuery = {
  recorded_by_kind: RecordedBy.shape.kind.optional().describe(`${ROWS}.`),
  recorded_by_name: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(`${ROWS}. With a kind, both are of the same cell.`),
};

export const getEvidence = endpoint({
  id: 'getEvidence',
  summary: 'Retrieve the evidence of a case under a profile, paged by item',
  tag: 'Evidence',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/evidence',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    profile_uid: ProfileUid,
    profile_version: ProfileVersion.optional(),
    ...paging,
    ...recordedByQuery,
    outcome: OutcomeFilter.describe(
      'Lists only the items with a cell of this outcome, each with all of its cells.',
    ).optional(),
    item_uid: ItemUid.describe('Lists this item alone.').optional(),
    since: Timestamp.describe('Lists only items with a cell received then or later.').optional(),
    rule_uid: RuleUid.describe('The other filters are asked of this rule alone.').optional(),
    fields: ItemMembers,
  }),
  response: Evidence,
  partial: EvidencePart,
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

const writeErrors = [
  'not_found',
  'not_here_yet',
  'contested_profile',
  'precondition_failed',
  'case_approved',
] as const;

export const recordEvidence = endpoint({
  id: 'recordEvidence',
  summary: 'Record items and outcomes of a case under a profile',
  tag: 'Evidence',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/evidence',
  access: 'write',
  params: caseParams,
  query: DryRun,
  body: EvidenceInput,
  bodyLimit: BULK_BODY_LIMIT,
  response: EvidenceReceipt,
  minimal: ShortEvidenceReceipt,
  success: [200],
  errors: writeErrors,
});

export const recordEvidenceBatch = endpoint({
  id: 'recordEvidenceBatch',
  summary: 'Create items of a case and write their outcomes',
  tag: 'Evidence',
  method: 'POST',
  path: '/api/v1/evidence',
  access: 'write',
  params: None,
  query: DryRun,
  body: EvidenceBatchInput,
  bodyLimit: BULK_BODY_LIMIT,
  response: EvidenceReceipt,
  minimal: ShortEvidenceReceipt,
  success: [200],
  errors: writeErrors,
});

/**
 * How a change arrived: its times by the author's clock and by this server's (`clock_differs`: they
 * are more than five minutes apart), who sent it (null for what this server's own operations
 * wrote), and whether its author is another than its sender.
 */
export const receipt = {
  at: Timestamp,
  received_at: Timestamp,
  clock_differs: z.boolean(),
  sent_by: Sender.nullable(),
  relayed: z.boolean(),
};

/**
 * One step of a cell's history. `old` is what the author saw (null: nothing), `new` what was
 * written.
 */
export const HistoryStep = z.strictObject({
  entry: z.string(),
  ...receipt,
  by: z.string(),
  kind: z.enum(['human', 'agent', 'import']),
  key_id: known.keyId.nullable(),
  reason: z.string().nullable(),
  /** Who first recorded the value: another than `by` where an undo brought it back. */
  recorded_by: RecordedBy,
  /** The entry whose value an undo brought back, or null. */
  restores: z.string().nullable(),
  field: z.enum(['outcome', 'notes']),
  old: z.json().nullable(),
  new: z.json().nullable(),
  /** Whether it is a head: the value shown now, or one of several that contradict each other. */
  current: z.boolean(),
});
export type HistoryStep = z.infer<typeof HistoryStep>;

export const getHistory = endpoint({
  id: 'getHistory',
  summary: 'The history of one cell, newest first',
  tag: 'Evidence',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/history',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    profile_uid: ProfileUid,
    profile_version: ProfileVersion.optional(),
    item_uid: ItemUid,
    rule_uid: RuleUid,
    ...paging,
  }),
  response: list(HistoryStep),
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});
