import type { SqlWords } from './sql-words.ts';

/**
 * What the logs of cases announce about rounds of independent recording, and their titles. What was
 * recorded in them is in logs of its own and has no table.
 */
export function rounds({ int, text, clustered, guardByNumber }: SqlWords): string[] {
  const ofRound = `account ${int} NOT NULL REFERENCES account_marks, case_uid ${text} NOT NULL,
      round_id ${text} NOT NULL`;
  return [
    `CREATE TABLE round_entries (${ofRound}, seq ${int} NOT NULL, idx ${int} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN ('terms', 'state', 'done', 'removed')),
      recorder ${text} NOT NULL, value ${text} NOT NULL,
      opens ${int} NOT NULL CHECK (opens IN (0, 1)),
      CONSTRAINT round_entries_key PRIMARY KEY (account, case_uid, round_id, seq, idx))${clustered}`,
    `CREATE TABLE round_titles (${ofRound}, title ${text} NOT NULL,
      CONSTRAINT round_titles_key PRIMARY KEY (account, case_uid, round_id))${clustered}`,
    ...guardByNumber(['round_entries', 'round_titles']),
  ];
}
