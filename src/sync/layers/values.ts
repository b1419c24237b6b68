import { z } from 'zod';
import { KeyId, UserId } from '../../shared/contract/ids.ts';
import { LongText, Provenance, text } from '../../shared/contract/common.ts';
import { RawOutcome } from '../../shared/domain/outcome.ts';
import { ContentHash } from '../../shared/domain/run-record.ts';
import { ItemUid, ProfileUid, ProfileVersion, RuleUid } from '../../shared/domain/uid.ts';
import { ENTRY_NAME } from '../change.ts';

/** What the registers of suggestions, decisions and rounds hold (SPEC.md, Y). */

const EntryName = z.string().regex(ENTRY_NAME, 'Must be the name of an entry.');

/**
 * What an entry of the record may say it comes from. Earlier versions do not look at it, so it
 * decides no status.
 */
export const From = z.array(EntryName).min(1).max(50);

/** Who suggests, or records in a round: a person by user, an agent by key. */
export const ParticipantId = z.union([UserId, KeyId]);

/**
 * What a source suggests for a cell. `basis` is the entry of the record that it was shown,
 * `document` the document of the matrix that it read the rule in.
 */
export const Suggestion = z.strictObject({
  raw_outcome: RawOutcome,
  source_value: LongText.optional(),
  quote: LongText.optional(),
  locator: text(1_000).optional(),
  provenance: Provenance.optional(),
  confidence: z.number().min(0).max(1).optional(),
  model: z.strictObject({ name: text(200, 1), version: text(200, 1) }).optional(),
  prompt_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  basis: EntryName.nullable(),
  document: ContentHash.optional(),
});
export type Suggestion = z.infer<typeof Suggestion>;

export const Decision = z.strictObject({
  entry: EntryName,
  verdict: z.enum(['accepted', 'refused']),
  reason: LongText.optional(),
});
export type Decision = z.infer<typeof Decision>;

export const RoundId = z
  .string()
  .regex(/^rnd_[A-Za-z0-9_-]{26}$/, 'Must be a round identifier as the service returned it.');

const MOST_LISTED = 5_000;
function listed<T extends z.ZodType>(uid: T) {
  return z
    .array(uid)
    .min(1)
    .max(MOST_LISTED)
    .refine((uids) => new Set(uids).size === uids.length, 'Must not name anything twice.');
}

/**
 * The terms of a round: written once, as one value, since nobody opened a round of one's recorders
 * with another's quorum. The round's id is their hash.
 */
export const RoundTerms = z
  .strictObject({
    recorders: listed(ParticipantId).max(50),
    profile_uid: ProfileUid,
    profile_version: ProfileVersion,
    items: z.union([z.literal('all'), listed(ItemUid)]),
    rules: z.union([z.literal('all'), listed(RuleUid)]),
    quorum: z.int().min(1),
    opened_by: UserId,
    /** Whether its recorders are shown the record of its cells while it is open. */
    record: z.enum(['hidden', 'shown']),
    na_is_a_category: z.literal(true),
    nonce: z.string().regex(/^[0-9a-f]{32}$/),
  })
  .refine(({ quorum, recorders }) => quorum <= recorders.length, {
    path: ['quorum'],
    message: 'Must not be more than there are recorders.',
  });
export type RoundTerms = z.infer<typeof RoundTerms>;

/** Size and sum (L3) of the changes that a recorder stands by. */
export const Commitment = z.strictObject({
  count: z.int().min(0),
  sum: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whoever committed knew that the round was released. */
  after_release: z.literal(true).optional(),
});
export type Commitment = z.infer<typeof Commitment>;

/** Most ids in one entry of a list of changes: it fits a change with room to spare. */
export const MOST_COMMITTED = 5_000;
/** One part of the list of changes that a commitment is over. */
export const CommittedPart = z.strictObject({
  changes: z.array(z.string().regex(/^c1_[A-Za-z0-9_-]{43}$/)).max(MOST_COMMITTED),
});

export const Released = z.literal('released');
export const Removal = z.strictObject({});
export const RoundTitle = text(200, 1);
