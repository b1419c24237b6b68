import type { SqlWords } from './sql-words.ts';

/** Time-stamps that an authority is still to be asked for. */
export function timeStamps({ int, text, clustered, guardByNumber }: SqlWords): string[] {
  return [
    `CREATE TABLE time_stamp_requests (account ${int} NOT NULL REFERENCES account_marks,
      covers ${text} NOT NULL, signed ${text} NOT NULL, case_uid ${text} NOT NULL, run_uid ${text} NOT NULL,
      user_id ${text} NOT NULL, user_name ${text} NOT NULL, created_at ${text} NOT NULL,
      refused ${int} NOT NULL CHECK (refused >= 0), attempts ${int} NOT NULL CHECK (attempts >= 0),
      due ${int}, last_result ${text},
      CONSTRAINT time_stamp_requests_key PRIMARY KEY (account, covers))${clustered}`,
    `CREATE INDEX time_stamp_requests_due ON time_stamp_requests (account, due)`,
    `CREATE INDEX time_stamp_requests_of_run ON time_stamp_requests (account, run_uid)`,
    `CREATE TABLE stamping_accounts (account_id ${text} PRIMARY KEY)${clustered}`,
    ...guardByNumber(['time_stamp_requests']),
  ];
}
