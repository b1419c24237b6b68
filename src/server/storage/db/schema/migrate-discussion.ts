import type { SqlWords } from './sql-words.ts';

/**
 * What people and agents say to each other beside the record of a case: every entry, what each
 * thread shows, whom it waits for, and who is to record which items and rules.
 */
export function discussion({ int, text, clustered, isJson, guardByNumber }: SqlWords): string[] {
  const ofStream = 'FOREIGN KEY (account, stream_pk) REFERENCES streams';
  const key = `account ${int} NOT NULL, stream_pk ${int} NOT NULL`;
  const placed = `seq ${int} NOT NULL, idx ${int} NOT NULL, change_id ${text} NOT NULL,
      hlc ${text} NOT NULL`;
  return [
    `CREATE TABLE thread_entries (${key}, thread_id ${text} NOT NULL, ${placed},
      said_by ${text} NOT NULL, value ${text} NOT NULL CHECK (${isJson('value')}),
      CONSTRAINT thread_entries_key PRIMARY KEY (account, stream_pk, thread_id, seq, idx),
      ${ofStream})${clustered}`,
    `CREATE TABLE threads (${key}, thread_id ${text} NOT NULL, opened_hlc ${text} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN ('query', 'comment')),
      state ${text} NOT NULL CHECK (state IN ('open', 'answered', 'closed')),
      place_on ${text} NOT NULL CHECK (place_on IN ('cell', 'item', 'rule')),
      item_uid ${text}, rule_uid ${text}, assigned ${text},
      CONSTRAINT threads_key PRIMARY KEY (account, stream_pk, thread_id), ${ofStream})${clustered}`,
    `CREATE TABLE thread_waits (account ${int} NOT NULL, who ${text} NOT NULL,
      stream_pk ${int} NOT NULL, thread_id ${text} NOT NULL,
      why ${text} NOT NULL CHECK (why IN ('assigned', 'answered', 'mentioned')),
      CONSTRAINT thread_waits_key PRIMARY KEY (account, who, stream_pk, thread_id),
      ${ofStream})${clustered}`,
    `CREATE INDEX thread_waits_of ON thread_waits (account, stream_pk, thread_id)`,
    `CREATE TABLE assignments (${key}, place ${text} NOT NULL, ${placed}, assignee ${text},
      CONSTRAINT assignments_key PRIMARY KEY (account, stream_pk, place), ${ofStream})${clustered}`,
    `CREATE INDEX assignments_of ON assignments (account, assignee, stream_pk)
      WHERE assignee IS NOT NULL`,
    ...guardByNumber(['thread_entries', 'threads', 'thread_waits', 'assignments']),
  ];
}
