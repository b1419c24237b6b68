import type { z } from 'zod';

/** Storage may be switched off or full in a browser, and may hold what another version wrote: then the editor only forgets. */
export function readStored<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** False where it could not be kept. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
