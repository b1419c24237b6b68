import type { SqlWords } from './sql-words.ts';

/** Whether the copy of a blob is in the other table, too. */
const isIn = (table: string): string =>
  `EXISTS (SELECT 1 FROM ${table} o WHERE o.account_id = old.account_id
    AND o.sha256 = old.sha256 AND o.copy = old.copy)`;

/**
 * Names the copies of blobs that are kept outside of the database. A copy may be taken out of the
 * one table once it is in the other.
 */
export function outsideBlobs({
  int,
  text,
  clustered,
  freeze,
  freezeUntil,
  guard,
}: SqlWords): string[] {
  return [
    `CREATE TABLE outside_blobs (account_id ${text} NOT NULL REFERENCES accounts,
      sha256 ${text} NOT NULL CHECK (length(sha256) = 64), copy ${int} NOT NULL,
      PRIMARY KEY (account_id, sha256, copy))${clustered}`,
    ...guard(['outside_blobs']),
    ...freeze('outside_blobs'),
    ...freezeUntil('outside_blobs', isIn('blobs')),
    ...freezeUntil('blobs', isIn('outside_blobs')),
  ];
}
