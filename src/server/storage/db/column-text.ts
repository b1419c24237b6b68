/**
 * Text of a change as a column shows it: NUL, which PostgreSQL cannot store, as a sign that can be
 * seen. The change's own bytes keep it, escaped.
 */
export const columnText = <T extends string | null>(text: T): T =>
  text === null ? text : (text.replaceAll('\0', '\u2400') as T);
