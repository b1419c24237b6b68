import type { z } from 'zod';

/**
 * A stored text as what it should be; undefined where it is something else, such as what another
 * version wrote.
 */
export function parseStored<T>(text: string | null, schema: z.ZodType<T>): T | undefined {
  try {
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
let personal: { texts: TextStorage; holds: (key: string) => boolean } | undefined;
const textsOf = (key: string): TextStorage =>
  personal?.holds(key) === true ? personal.texts : localStorage;

/**
 * From here on these keys are kept there: where several people share a browser, what concerns
 * one person's work is not for the others.
 */
export function rememberIn(texts: TextStorage, holds: (key: string) => boolean): void {
  personal = { texts, holds };
}

/** Storage may be switched off in a browser: then nothing is remembered. */
export function readStored<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    return parseStored(textsOf(key).getItem(key), schema);
  } catch {
    return undefined;
  }
}

/** False where it could not be kept. Undefined takes away what was there. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    if (value === undefined) textsOf(key).removeItem(key);
    else textsOf(key).setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
