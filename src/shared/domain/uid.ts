import { z } from 'zod';
import { codePoints, lengthHint } from './text.ts';

/** Ids in answers and in what is stored, which were checked when they were made. */
export const known = {
  accountId: z.string().brand<'AccountId'>(),
  caseUid: z.string().brand<'StreamName'>().brand<'CaseUid'>(),
  keyId: z.string().brand<'KeyId'>(),
  profileUid: z.string().brand<'ProfileUid'>(),
  projectId: z.string().brand<'ProjectId'>(),
  runUid: z.string().brand<'RunUid'>(),
  streamName: z.string().brand<'StreamName'>(),
  userId: z.string().brand<'UserId'>(),
};

// Messages say the rule and never repeat the input: they end up in logs and in other people's
// windows.

/** A case's uid is the name of its log, too. */
export const CaseUid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    'Must be 1 to 128 letters, digits, ".", "_", ":" or "-", starting with a letter or digit.',
  )
  .brand<'StreamName'>()
  .brand<'CaseUid'>();
export type CaseUid = z.infer<typeof CaseUid>;

export const RunUid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'Must be 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or digit.',
  )
  .brand<'RunUid'>();
export type RunUid = z.infer<typeof RunUid>;

export const ProfileUid = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{2,95}$/,
    'Must be 3 to 96 lower-case letters, digits or "_", starting with a letter.',
  )
  .brand<'ProfileUid'>();
export type ProfileUid = z.infer<typeof ProfileUid>;

export const ProfileVersion = z
  .string()
  .max(100, 'Must have at most 100 characters.')
  .regex(
    /^[0-9]+\.[0-9]+(\.[0-9]+)?$/,
    'Must be two or three numbers joined by dots, such as 1.0 or 1.0.2.',
  );
export type ProfileVersion = z.infer<typeof ProfileVersion>;

export const RULE_UID = /^[a-z][a-z0-9_]{2,63}$/;
export const RuleUid = z
  .string()
  .regex(RULE_UID, 'Must be 3 to 64 lower-case letters, digits or "_", starting with a letter.');
export type RuleUid = z.infer<typeof RuleUid>;

export const MAX_ITEM_UID = 256;

const CONTROL = /\p{Cc}/u;
/**
 * Characters that reorder the text around them: two different uids could look alike, or one could
 * hide another.
 */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Characters of no width: two uids that look the same would be two items. */
const ZERO_WIDTH = /[\u200b-\u200d\u2060\ufeff]/;

/**
 * Why `value` cannot be an item_uid, in a sentence that does not repeat it; undefined if it can.
 */
export function itemUidProblem(value: string): string | undefined {
  if (value === '') return 'Must not be empty.';
  if (value.length > 2 * MAX_ITEM_UID || codePoints(value) > MAX_ITEM_UID)
    return `Must have at most ${MAX_ITEM_UID} characters.`;
  if (!value.isWellFormed()) return 'Must be well-formed Unicode (no lone surrogates).';
  if (CONTROL.test(value)) return 'Must not hold control characters, line breaks or tabs.';
  if (BIDI.test(value)) return 'Must not hold characters that change the direction of text.';
  if (ZERO_WIDTH.test(value)) return 'Must not hold invisible characters of zero width.';
  if (value.trim() !== value) return 'Must not start or end with white space.';
  if (value.normalize('NFC') !== value)
    return 'Must be in Unicode normal form C (composed characters).';
  return undefined;
}

export const ItemUid = z
  .string()
  .superRefine((value, ctx) => {
    const problem = itemUidProblem(value);
    if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
  })
  .meta(lengthHint(MAX_ITEM_UID, 1));
export type ItemUid = z.infer<typeof ItemUid>;
