import { z } from 'zod';

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Text of `min..max` code points: well-formed, without control characters other than tab, line feed
 * and carriage return. The limits also appear in the API's description.
 */
export function text(max: number, min = 0) {
  return z
    .string()
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) })
    .superRefine((value, ctx) => {
      if (!value.isWellFormed())
        ctx.addIssue({
          code: 'custom',
          message: 'Must be well-formed Unicode (no lone surrogates).',
        });
      else if (CONTROL.test(value))
        ctx.addIssue({ code: 'custom', message: 'Must not hold control characters.' });
      else if (value.length > 2 * max || (value.length > max && [...value].length > max))
        ctx.addIssue({ code: 'custom', message: `Must have at most ${max} characters.` });
      else if (value.length < min || (min > 0 && value.trim() === ''))
        ctx.addIssue({ code: 'custom', message: 'Must not be empty.' });
    });
}

const MAX_LONG_TEXT = 10_000;
export const LongText = text(MAX_LONG_TEXT);
/** Whether a text is a `LongText` that has to be counted no closer; true of any of usual length. */
export const isPlainText = (value: string): boolean =>
  value.length <= MAX_LONG_TEXT && value.isWellFormed() && !CONTROL.test(value);

/** RFC 3339 UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 });

const MAX_METADATA = 64 * 1024;

/**
 * Why a value is not plain, well-formed JSON of at most `left.chars` characters and 32 levels;
 * undefined if it is. Stops at the first reason.
 */
function jsonProblem(value: unknown, left: { chars: number }, depth: number): string | undefined {
  left.chars -= typeof value === 'string' ? value.length + 2 : 1;
  if (left.chars < 0) return 'Must be at most 64 KiB.';
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : 'Must be well-formed Unicode (no lone surrogates).';
  if (
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  )
    return undefined;
  if (typeof value !== 'object') return 'Must be JSON.';
  if (depth > 32) return 'Must be nested at most 32 levels deep.';
  if (Array.isArray(value)) return firstProblem(value, left, depth);
  if (Object.hasOwn(value, '__proto__')) return 'Must not hold a member called "__proto__".';
  return (
    firstProblem(Object.keys(value), left, depth) ?? firstProblem(Object.values(value), left, depth)
  );
}

function firstProblem(
  values: readonly unknown[],
  left: { chars: number },
  depth: number,
): string | undefined {
  for (const value of values) {
    const problem = jsonProblem(value, left, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A free-form JSON object of at most 64 KiB when written out. Its size is checked first, so that a
 * huge one costs no more than one that fits.
 */
export const Metadata = z
  .custom<Record<string, z.core.util.JSONType>>(isObject, {
    message: 'Must be an object.',
    abort: true,
  })
  .meta({ type: 'object', additionalProperties: {} })
  .superRefine((value, ctx) => {
    const problem =
      jsonProblem(value, { chars: MAX_METADATA }, 0) ??
      (JSON.stringify(value).length > MAX_METADATA ? 'Must be at most 64 KiB.' : undefined);
    if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
  });

/**
 * Where a value came from: a text, or a structured object. The server that it was sent to answers
 * an object's members in the order in which they came; in changes and runs, and on servers that got
 * it by exchange, they are in the order of RFC 8785.
 */
export const Provenance = z.union([LongText, Metadata]);

/**
 * What every stored record carries. `version` grows by one with each change and is the record's
 * ETag: `"v<version>"`.
 */
export const stamps = { created_at: Timestamp, updated_at: Timestamp, version: z.int().min(1) };

/** A position in a log, in decimal digits. */
export const Seq = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, 'Must be a sequence number.')
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999_999_999 });

/** For how long an operation may wait until it has something to tell. */
export const Wait = z
  .string()
  .regex(/^(?:[0-9]|[1-4][0-9]|50)$/, 'Must be a whole number from 0 to 50.')
  .meta({ type: 'integer', minimum: 0, maximum: 50, default: 0 })
  .describe('So many seconds it waits until there is something to tell; 0 if not said.')
  .optional();

export const Cursor = z.string().min(1).max(512);
/**
 * Paging: `limit` 1..200 (default 50) in decimal digits, `cursor` as the previous page gave it.
 */
export const paging = {
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, 'Must be a whole number from 1 to 200.')
    .refine((v) => Number(v) <= 200, 'Must be a whole number from 1 to 200.')
    .meta({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
    .describe('Entries of a page, 1 to 200; 50 if not said.')
    .optional(),
  cursor: Cursor.describe('`next_cursor` of the previous page.').optional(),
};

/** Which way a list goes, whatever it is sorted by. */
export const order = {
  order: z.enum(['asc', 'desc']).describe('Which way the list goes.').optional(),
};

/** What a text is searched for in: every entry is looked at until a page is full. */
export const searchIn = (what: string) => ({
  search: text(200, 1)
    .describe(`Only entries whose ${what} holds this text; letters A to Z in either case.`)
    .optional(),
});

export function list<T extends z.ZodType>(entry: T) {
  return z.strictObject({ data: z.array(entry), next_cursor: z.string().nullable() });
}

export const None = z.strictObject({});

/** The query of a write that can be tried out. */
export const DryRun = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .describe(
      '`true`: the request is carried out and checked as ever, answered or refused as ever, and ' +
        'nothing of it is stored. Ids and times of the answer are those of nothing.',
    )
    .optional(),
});

/** The outcome that listed cells have; `unrecorded`: none. */
export const OutcomeFilter = z.enum(['TRUE', 'FALSE', 'NA', 'unrecorded']);
