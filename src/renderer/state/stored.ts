import type { z } from 'zod';

/** A stored text as what it should be; undefined where it is something else, such as what another version wrote. */
export function parseStored<T>(text: string | null, schema: z.ZodType<T>): T | undefined {
  try {
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Storage may be switched off in a browser: then nothing is remembered. */
export function readStored<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    return parseStored(localStorage.getItem(key), schema);
  } catch {
    return undefined;
  }
}

/** False where it could not be kept. Undefined takes away what was there. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
