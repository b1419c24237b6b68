/**
 * With versions: the other server failed on the change, which is offered again. Without: it refused
 * the bytes.
 */
export function exchangeMigration({ text }: { text: string }): string[] {
  return [`ALTER TABLE unsendable ADD COLUMN versions ${text}`];
}
