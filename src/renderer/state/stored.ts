import type { z } from 'zod';

/** A stored text as what it should be; undefined where it is something else, such as what another version wrote. */
export function parseStored<T>(text: string | null, schema: z.ZodType<T>): T | undefined {
  try {
    return text === null ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export type Texts = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
let texts = (): Texts => localStorage;

/** From here on what is remembered is kept there: where several people share a browser, with what belongs to one of them. */
export function rememberIn(own: Texts): void {
  texts = () => own;
}

/** Storage may be switched off in a browser: then nothing is remembered. */
export function readStored<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    return parseStored(texts().getItem(key), schema);
  } catch {
    return undefined;
  }
}

/** False where it could not be kept. Undefined takes away what was there. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    if (value === undefined) texts().removeItem(key);
    else texts().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
