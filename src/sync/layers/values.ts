import { z } from 'zod';
import { LongText, Provenance, text } from '../../shared/contract/common.ts';
import { RawOutcome } from '../../shared/domain/outcome.ts';
import { ContentHash } from '../../shared/domain/run-record.ts';
import { ENTRY_NAME } from '../change.ts';

/** What the registers of suggestions, decisions and rounds hold (SPEC.md, Y). */

const EntryName = z.string().regex(ENTRY_NAME, 'Must be the name of an entry.');

/**
 * What an entry of the record may say it comes from. Earlier versions do not look at it, so it
 * decides no status.
 */
export const From = z.array(EntryName).min(1).max(50);

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

export const SuggestionDecision = z.strictObject({
  entry: EntryName,
  verdict: z.enum(['accepted', 'refused']),
  reason: LongText.optional(),
});
export type SuggestionDecision = z.infer<typeof SuggestionDecision>;

/** Most ids in one entry of a list of changes: it fits a change with room to spare. */
export const MOST_COMMITTED = 5_000;
/** One part of the list of changes that a commitment is over. */
export const CommittedPart = z.strictObject({
  changes: z.array(z.string().regex(/^c1_[A-Za-z0-9_-]{43}$/)).max(MOST_COMMITTED),
});

export const Released = z.literal('released');
export const Removal = z.strictObject({});
export const RoundTitle = text(200, 1);
