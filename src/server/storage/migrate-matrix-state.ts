/** What a matrix, and a case's items, were last changed by. Rows of before have something in them, whatever it is. */
export function matrixState({ text }: { text: string }): string[] {
  return [
    `ALTER TABLE matrices ADD COLUMN state ${text} NOT NULL DEFAULT '0'`,
    `ALTER TABLE streams ADD COLUMN items_state ${text} NOT NULL DEFAULT '0'`,
  ];
}
