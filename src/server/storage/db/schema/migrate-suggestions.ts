import type { SqlWords } from './sql-words.ts';

/**
 * What sources suggest beside the record of a case, what people decided about it, and which of the
 * record's entries accept a suggestion. They belong to the log: a suggestion may be for an item or
 * a matrix that has no row, and makes none.
 */
export function suggestions({ int, text, clustered, isJson, guardByNumber }: SqlWords): string[] {
  const ofStream = 'FOREIGN KEY (account, stream_pk) REFERENCES streams';
  const flag = (column: string): string =>
    `${column} ${int} NOT NULL DEFAULT 0 CHECK (${column} IN (0, 1))`;
  return [
    `ALTER TABLE cases ADD COLUMN ${flag('requires_source')}`,
    `CREATE TABLE suggestions (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      profile_uid ${text} NOT NULL, profile_version ${text} NOT NULL, rule_uid ${text} NOT NULL,
      item_uid ${text} NOT NULL, source ${text} NOT NULL, head_seq ${int}, head_index ${int},
      value ${text} CHECK (${isJson('value')}), decision_seq ${int}, decision_index ${int},
      decision ${text} CHECK (${isJson('decision')}), ${flag('contested')},
      CONSTRAINT suggestions_key PRIMARY KEY
        (account, stream_pk, profile_uid, profile_version, rule_uid, item_uid, source),
      ${ofStream})${clustered}`,
    `CREATE TABLE acceptances (account ${int} NOT NULL, stream_pk ${int} NOT NULL,
      seq ${int} NOT NULL, idx ${int} NOT NULL, suggestion ${text} NOT NULL, from_seq ${int},
      ${flag('edited')}, model ${text} CHECK (${isJson('model')}),
      CONSTRAINT acceptances_key PRIMARY KEY (account, stream_pk, seq, idx), ${ofStream})${clustered}`,
    `CREATE INDEX acceptances_awaited ON acceptances (account, stream_pk) WHERE from_seq IS NULL`,
    ...guardByNumber(['suggestions', 'acceptances']),
  ];
}
