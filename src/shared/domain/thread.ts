import { z } from 'zod';
import { text } from '../contract/common.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { ParticipantId } from './round.ts';
import { ItemUid, ProfileUid, ProfileVersion, RuleUid } from './uid.ts';

/** Discussion beside the record of a case (YT in src/sync/SPEC.md): what one entry of it says. */

export const ThreadId = z
  .string()
  .regex(/^thr_[A-Za-z0-9_-]{26}$/, 'Must be a thread identifier as the service returned it.');

const rule = { profile_uid: ProfileUid, profile_version: ProfileVersion, rule_uid: RuleUid };

const ItemPlace = z.strictObject({ on: z.literal('item'), item_uid: ItemUid });
const RulePlace = z.strictObject({ on: z.literal('rule'), ...rule });

/** What can be assigned: a row or a column of a case. */
export const AssignedPlace = z.discriminatedUnion('on', [ItemPlace, RulePlace]);
export type AssignedPlace = z.infer<typeof AssignedPlace>;

/** What of a case a thread is about. */
export const ThreadPlace = z.discriminatedUnion('on', [
  z.strictObject({ on: z.literal('cell'), ...rule, item_uid: ItemUid }),
  ItemPlace,
  RulePlace,
]);
export type ThreadPlace = z.infer<typeof ThreadPlace>;

export const MOST_MENTIONED = 20;
export const ThreadText = text(5_000, 1);
export const Mentions = z
  .array(ParticipantId)
  .min(1)
  .max(MOST_MENTIONED)
  .refine((ids) => new Set(ids).size === ids.length, 'Must not name anybody twice.');
const said = { text: ThreadText, mentions: Mentions.optional() };

/**
 * How a thread begins: written once, and its hash is the thread's id. A `query` asks for an answer
 * and is open until somebody closes it; a `comment` asks for nothing.
 */
export const ThreadOpening = z.strictObject({
  does: z.literal('open'),
  place: ThreadPlace,
  kind: z.enum(['query', 'comment']),
  ...said,
  assigned_to: ParticipantId.optional(),
  opened_by: ParticipantId,
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
});
export type ThreadOpening = z.infer<typeof ThreadOpening>;

/** What one entry of a thread does. */
export const ThreadEntry = z.discriminatedUnion('does', [
  ThreadOpening,
  z.strictObject({ does: z.literal('comment'), ...said }),
  z.strictObject({ does: z.literal('answer'), ...said }),
  z.strictObject({ does: z.literal('close'), text: ThreadText.optional() }),
  z.strictObject({ does: z.literal('reopen'), ...said }),
  z.strictObject({
    does: z.literal('assign'),
    to: ParticipantId.nullable(),
    text: ThreadText.optional(),
  }),
]);
export type ThreadEntry = z.infer<typeof ThreadEntry>;

/** Who is to record the cells of an item or of a rule; null: nobody in particular. */
export const Assignment = z.strictObject({ to: ParticipantId.nullable() });
export type Assignment = z.infer<typeof Assignment>;

/** The name of a thread: the hash of its beginning, so that no other beginning stands under it. */
export const threadId = (opening: ThreadOpening, hasher: Hasher): string =>
  `thr_${hasher.sha256Base64url(canonicalJson(opening)).slice(0, 26)}`;
