import type { SqlWords } from './sql-words.ts';

/** Names the copies of blobs that are kept outside of the database. */
export const outsideBlobs = ({
  int,
  text,
  clustered,
  guardByNumber,
  moved,
}: SqlWords): string[] => [
  `CREATE TABLE outside_blobs (account ${int} NOT NULL REFERENCES account_marks,
    sha256 ${text} NOT NULL CHECK (length(sha256) = 64), copy ${int} NOT NULL,
    CONSTRAINT outside_blobs_key PRIMARY KEY (account, sha256, copy))${clustered}`,
  ...guardByNumber(['outside_blobs']),
  ...moved(['blobs', 'outside_blobs'], ['account', 'sha256', 'copy']),
];
