import type { SqlWords } from './sql-words.ts';

/**
 * What the logs of cases say of their stages, and of signatures on their runs with their
 * time-stamps. A case's row has the displayed stage.
 */
export function signOff({ int, text, clustered, isJson, guardByNumber }: SqlWords): string[] {
  return [
    `ALTER TABLE cases ADD COLUMN stage ${text} NOT NULL DEFAULT 'in_progress'
      CHECK (stage IN ('in_progress', 'in_review', 'approved', 'amended'))`,
    `CREATE TABLE sign_offs (account ${int} NOT NULL REFERENCES account_marks,
      case_uid ${text} NOT NULL, seq ${int} NOT NULL, idx ${int} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN ('stage', 'signature', 'time_stamp')), run_uid ${text} NOT NULL,
      value ${text} NOT NULL CHECK (${isJson('value')}),
      CONSTRAINT sign_offs_key PRIMARY KEY (account, case_uid, seq, idx))${clustered}`,
    `CREATE INDEX sign_offs_of_run ON sign_offs (account, run_uid)`,
    ...guardByNumber(['sign_offs']),
  ];
}
