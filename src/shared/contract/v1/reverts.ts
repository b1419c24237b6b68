import { z } from 'zod';
import { CaseUid } from '../../domain/uid.ts';
import { text, Timestamp, DryRun } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known, KeyId } from '../ids.ts';

/** Most changes that one request names, and most entries that it looks at. */
const MAX_REVERTED = 2_000;

/** What to take back: changes by their ids, or all that a key has written here since a moment. */
export const RevertInput = z
  .strictObject({
    changes: z
      .array(z.string().regex(/^c1_[A-Za-z0-9_-]{43}$/, 'Must be the id of a change.'))
      .min(1)
      .max(MAX_REVERTED)
      .describe('As receipts name them.')
      .optional(),
    key_id: KeyId.describe('With `since`: everything that this key wrote.').optional(),
    since: Timestamp.describe('By the clock of this server, when it received a change.').optional(),
    reason: text(2_000, 1),
  })
  .superRefine(({ changes, key_id, since }, ctx) => {
    const byKey = key_id !== undefined && since !== undefined;
    if (changes === undefined ? !byKey : key_id !== undefined || since !== undefined)
      ctx.addIssue({ code: 'custom', message: 'Name either changes, or key_id and since.' });
  });
export type RevertInput = z.infer<typeof RevertInput>;

/**
 * One register of what was to be taken back. `reverted`: it says again what it said before, with
 * source and provenance. `written_since`: something was recorded there later, which stands.
 * `contested`: several writings stand side by side, for a person to settle. `kept`: not taken back
 * by this: what made an item, what removed one (except by a person), what settled a conflict, and
 * fields of the case.
 */
export const Reverted = z.strictObject({
  field: z.string(),
  item_uid: z.string().nullable(),
  rule_uid: z.string().nullable(),
  profile_uid: known.profileUid.nullable(),
  profile_version: z.string().nullable(),
  status: z.enum(['reverted', 'written_since', 'contested', 'kept']),
});
export type Reverted = z.infer<typeof Reverted>;

/**
 * `left` are changes that were not looked at because there are too many: send them in another
 * request.
 */
export const RevertReceipt = z.strictObject({
  case_uid: known.caseUid,
  changes: z.array(z.string()),
  reverted: z.int(),
  entries: z.array(Reverted),
  left: z.array(z.string()),
});
export type RevertReceipt = z.infer<typeof RevertReceipt>;

export const revertChanges = endpoint({
  id: 'revertChanges',
  summary: 'Take back what still stands of changes; never what came later',
  tag: 'Cases',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/reverts',
  access: 'write',
  params: z.strictObject({ caseUid: CaseUid }),
  query: DryRun,
  body: RevertInput,
  bodyLimit: BODY_LIMIT,
  response: RevertReceipt,
  success: [200],
  errors: ['not_found', 'case_approved'],
});
