/**
 * What a case's items and its matrices were last changed by. Of logs of before it is unknown:
 * something may be recorded in any matrix.
 */
export function matrixState({ text }: { text: string }): string[] {
  return [`ALTER TABLE streams ADD COLUMN states ${text} NOT NULL DEFAULT '{"*":"0"}'`];
}
