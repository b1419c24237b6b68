import { z } from 'zod';

/** A query parameter that names members of what is answered, joined by commas. */
export function fieldsOf(members: readonly string[], whose: string): z.ZodOptional<z.ZodString> {
  const one = `(?:${members.join('|')})`;
  return z
    .string()
    .max(1_000)
    .regex(new RegExp(`^${one}(?:,${one})*$`), {
      error: `Must be members of ${whose}, joined by commas: ${members.join(', ')}.`,
    })
    .describe(`Answers only these members of ${whose}, joined by commas, beside their identifiers.`)
    .optional();
}

/** The members of a schema that a request may choose: all but its identifiers. */
export const membersOf = (schema: z.ZodObject, identifiers: readonly string[]): readonly string[] =>
  Object.keys(schema.shape).filter((name) => !identifiers.includes(name));
