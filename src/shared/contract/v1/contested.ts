import { z } from 'zod';
import { CaseUid, ProfileUid, ProfileVersion } from '../../domain/uid.ts';
import { list, None, paging, text, Timestamp, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { receipt, RecordedBy } from './evidence.ts';
import { known } from '../ids.ts';

const caseParams = z.strictObject({ caseUid: CaseUid });

/**
 * Who wrote an entry. `restored` names who brought the value back by an undo; the other members
 * name who first wrote it.
 */
export const EntryWriter = z.strictObject({
  entry: z.string(),
  ...receipt,
  by: z.string(),
  user: known.userId,
  kind: z.enum(['human', 'agent', 'import']),
  key_id: known.keyId.nullable(),
  /** The device or store that wrote it. */
  replica: z.string(),
  reason: z.string().nullable(),
  restored: z.strictObject({ at: Timestamp, by: z.string() }).nullable(),
  /** Whose the outcome is, where somebody accepted it as suggested; told by `writers` alone. */
  recorded_by: RecordedBy.exactOptional(),
});
export type EntryWriter = z.infer<typeof EntryWriter>;

/** One of several writings that nobody has settled. */
export const ContestedHead = EntryWriter.extend({ displayed: z.boolean(), value: z.json() });

/**
 * A cell's outcome or notes, or a field of an item (`rule_uid` null), of which people wrote
 * different values without seeing each other's, or that somebody wrote beneath a deletion.
 */
export const Contested = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string().nullable(),
  field: z.enum(['outcome', 'notes', 'item_type', 'label', 'metadata', 'position', 'x']),
  heads: z.array(ContestedHead),
  /**
   * Null for a row that is shown. Else who deleted the row without having seen these writings;
   * their authors had not seen the deletion.
   */
  deletion: EntryWriter.nullable(),
});
export type Contested = z.infer<typeof Contested>;

export const listContested = endpoint({
  id: 'listContested',
  summary: 'What is contested in a case under a profile, with every writing and its author',
  tag: 'Evidence',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/contested',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    profile_uid: ProfileUid,
    profile_version: ProfileVersion.optional(),
    ...paging,
  }),
  response: list(Contested),
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

/** Most entries in one question. */
export const MAX_ENTRIES_ASKED = 1_000;

export const listWriters = endpoint({
  id: 'listWriters',
  summary: "Who wrote these entries of a case's log, when and why",
  tag: 'Evidence',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/writers',
  access: 'read',
  params: caseParams,
  query: None,
  body: z.strictObject({ entries: z.array(z.string().max(64)).max(MAX_ENTRIES_ASKED) }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ writers: z.array(EntryWriter) }),
  success: [200],
  errors: ['not_found'],
});

/**
 * A field of the case itself of which people wrote different values without seeing each other's;
 * `x` is whether the case exists.
 */
export const ContestedField = z.strictObject({
  field: z.enum([
    'project_id',
    'title',
    'description',
    'case_type',
    'metadata',
    'profile',
    'archived',
    'x',
  ]),
  heads: z.array(ContestedHead),
});
export type ContestedField = z.infer<typeof ContestedField>;

export const listContestedFields = endpoint({
  id: 'listContestedFields',
  summary: 'What is contested of a case itself, with every writing and its author',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/contested-fields',
  access: 'read',
  params: caseParams,
  query: None,
  response: z.strictObject({ fields: z.array(ContestedField) }),
  success: [200],
  errors: ['not_found'],
});

/**
 * `heads` are those that were shown to the person. If others have arrived since, nothing is
 * settled.
 */
export const FieldSettling = z.strictObject({
  field: ContestedField.shape.field,
  heads: z.array(z.string().max(64)).min(2).max(1_000),
  take: z.string().max(64).describe('The one of `heads` whose value is to hold.'),
  reason: text(10_000, 1),
});
export type FieldSettling = z.infer<typeof FieldSettling>;

export const settleField = endpoint({
  id: 'settleField',
  summary: 'Settle a contested field of a case: one of the writings holds, for a reason',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/contested-fields',
  access: 'write',
  params: caseParams,
  query: DryRun,
  body: FieldSettling,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ field: ContestedField.shape.field, value: z.json() }),
  success: [200],
  errors: ['not_found', 'conflict'],
});
