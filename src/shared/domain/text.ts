import { z } from 'zod';

/** C0, DEL and C1 control characters but tab and line feed. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Number of Unicode code points: what a reader would count as characters, unlike `length`. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isLongerThan(text: string, max: number): boolean {
  return text.length > 2 * max || (text.length > max && codePoints(text) > max);
}

/** For generated API descriptions: JSON Schema counts code points, as the checks here do. */
export function lengthHint(max: number, min = 0): { minLength?: number; maxLength: number } {
  return min > 0 ? { minLength: min, maxLength: max } : { maxLength: max };
}

/**
 * Prose of `min..max` code points: well-formed Unicode, no control characters but tab and line
 * feed. Messages never repeat the text.
 */
export function prose(max: number, min = 0) {
  return z
    .string()
    .superRefine((value, ctx) => {
      if (value.length < min) ctx.addIssue({ code: 'custom', message: 'Must not be empty.' });
      else if (isLongerThan(value, max))
        ctx.addIssue({ code: 'custom', message: `Must have at most ${max} characters.` });
      else if (!value.isWellFormed())
        ctx.addIssue({
          code: 'custom',
          message: 'Must be well-formed Unicode (no lone surrogates).',
        });
      else if (CONTROL.test(value))
        ctx.addIssue({
          code: 'custom',
          message: 'Must not hold control characters other than tab and line feed.',
        });
    })
    .meta(lengthHint(max, min));
}
