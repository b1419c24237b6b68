import { z } from 'zod';
import { CaseUid, ItemUid, ProfileUid, ProfileVersion, RuleUid } from '../../domain/uid.ts';
import { list, OutcomeFilter, paging, Timestamp } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';
import {
  Cell,
  CellMembers,
  CellPart,
  Item,
  ItemMembers,
  ItemPart,
  RecordedBy,
} from './evidence.ts';

const matrix = {
  profile_uid: ProfileUid,
  profile_version: ProfileVersion.optional(),
};

/**
 * A pair of item and rule, recorded or not. One that is unrecorded has `raw_outcome` null; where
 * nothing was ever written in it, its `revision` is 0 and nobody has updated it.
 */
export const ListedCell = Cell.extend({
  updated_at: Timestamp.nullable(),
  updated_by: z.string().nullable(),
  revision: z.int().min(0).describe('As `if_revision` of a write names it.'),
});
export type ListedCell = z.infer<typeof ListedCell>;
const ListedCellPart = ListedCell.partial().required({ item_uid: true, rule_uid: true });

export const CellQuery = z.strictObject({
  ...matrix,
  ...paging,
  outcome: OutcomeFilter.describe(
    'Only cells with this outcome: `unrecorded` lists what is still open.',
  ).optional(),
  item_uid: ItemUid.describe('Only cells of this item.').optional(),
  rule_uid: RuleUid.describe('Only cells of this rule.').optional(),
  recorded_by_kind: RecordedBy.shape.kind
    .describe('Only cells whose outcome a person, an agent or an import recorded.')
    .optional(),
  recorded_by_name: z
    .string()
    .min(1)
    .max(500)
    .describe('Only cells whose outcome one of this name recorded.')
    .optional(),
  since: Timestamp.describe('Only cells that were written at this time or later.').optional(),
  fields: CellMembers,
});

export const listCells = endpoint({
  id: 'listCells',
  summary: 'List the cells of a matrix, recorded or open, item by item and in the order of rules',
  tag: 'Cells',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/cells',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid }),
  query: CellQuery,
  response: list(ListedCell),
  partial: list(ListedCellPart),
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

/** An item under a profile: what is recorded of it, and which rules are still open. */
export const ItemEvidence = z.strictObject({
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  item: Item,
  evidence: z.array(Cell),
  unrecorded: z.array(z.string()).describe('Rules whose outcome is not recorded, in their order.'),
});
export type ItemEvidence = z.infer<typeof ItemEvidence>;
const ItemEvidencePart = ItemEvidence.extend({ item: ItemPart, evidence: z.array(CellPart) });

export const getItem = endpoint({
  id: 'getItem',
  summary: 'Read one item with its evidence under a profile',
  tag: 'Cells',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/items/{itemUid}',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid, itemUid: ItemUid }),
  query: z.strictObject({ ...matrix, fields: ItemMembers }),
  response: ItemEvidence,
  partial: ItemEvidencePart,
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

export const getCell = endpoint({
  id: 'getCell',
  summary: 'Read one cell, recorded or open',
  tag: 'Cells',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/items/{itemUid}/outcomes/{ruleUid}',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid, itemUid: ItemUid, ruleUid: RuleUid }),
  query: z.strictObject({ ...matrix, fields: CellMembers }),
  response: ListedCell,
  partial: ListedCellPart,
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});
