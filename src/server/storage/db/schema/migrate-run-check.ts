/**
 * Contents of runs that a check found not to be whole here, and manifests that came again for them.
 * Nothing that is stored is replaced: what came again is read instead.
 */
export function runCheckMigration({
  text,
  blob,
  strict,
  guard,
  freeze,
}: {
  text: string;
  blob: string;
  strict: string;
  guard(tables: readonly ('damaged_contents' | 'manifest_copies')[]): string[];
  freeze(table: string): string[];
}): string[] {
  return [
    `CREATE TABLE damaged_contents (account_id ${text} NOT NULL REFERENCES accounts,
      content_hash ${text} NOT NULL, found_at ${text} NOT NULL,
      PRIMARY KEY (account_id, content_hash))${strict}`,
    `CREATE TABLE manifest_copies (account_id ${text} NOT NULL REFERENCES accounts,
      content_hash ${text} NOT NULL, came_at ${text} NOT NULL, packed ${blob} NOT NULL,
      PRIMARY KEY (account_id, content_hash, came_at))${strict}`,
    ...freeze('manifest_copies'),
    ...guard(['damaged_contents', 'manifest_copies']),
  ];
}
