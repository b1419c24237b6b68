import type { SqlWords } from './sql-words.ts';

/**
 * Who recorded the outcomes of each run, beside its content: two runs of one content may have been
 * recorded by others.
 */
export function runRecorders({ text, blob, strict, freeze, guard }: SqlWords): string[] {
  return [
    `CREATE TABLE run_recorders (account_id ${text} NOT NULL REFERENCES accounts,
      run_uid ${text} NOT NULL, content_hash ${text} NOT NULL, packed ${blob} NOT NULL,
      PRIMARY KEY (account_id, run_uid, content_hash))${strict}`,
    ...freeze('run_recorders'),
    ...guard(['run_recorders']),
  ];
}
