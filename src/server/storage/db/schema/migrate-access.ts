import type { SqlWords } from './sql-words.ts';

/** The operator ends a person's access to the whole server, and may give it back. */
export function endedAccess({ text }: SqlWords): string[] {
  return [`ALTER TABLE users ADD COLUMN disabled_at ${text}`];
}
