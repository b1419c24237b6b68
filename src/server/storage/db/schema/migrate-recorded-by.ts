/** Of a cell whose displayed outcome an undo brought back: the entry that first said it. */
export function recordedBy({ text }: { text: string }): string[] {
  return [`ALTER TABLE cells ADD COLUMN restores ${text}`];
}
