import type { SqlWords } from './sql-words.ts';

/** Where notices go, and those that are still to be delivered. */
export function notices({ int, text, clustered, isJson, guardByNumber }: SqlWords): string[] {
  return [
    `CREATE TABLE subscriptions (account ${int} NOT NULL REFERENCES account_marks,
      subscription_id ${text} NOT NULL,
      way ${text} NOT NULL CHECK (way IN ('mail', 'webhook')), url ${text},
      events ${text} NOT NULL CHECK (${isJson('events')}),
      created_by ${text} NOT NULL, created_at ${text} NOT NULL,
      last_at ${text}, last_result ${text},
      CONSTRAINT subscriptions_key PRIMARY KEY (account, subscription_id))${clustered}`,
    `CREATE TABLE notices (account ${int} NOT NULL, notice_id ${text} NOT NULL,
      subscription_id ${text} NOT NULL,
      event ${text} NOT NULL CHECK (event IN ('mentioned', 'assigned', 'answered', 'decisions')),
      stream_pk ${int} NOT NULL, case_uid ${text} NOT NULL, thread_id ${text} NOT NULL,
      who ${text} NOT NULL, created_at ${text} NOT NULL,
      attempts ${int} NOT NULL CHECK (attempts >= 0), due ${int} NOT NULL,
      CONSTRAINT notices_key PRIMARY KEY (account, notice_id),
      CONSTRAINT notices_once UNIQUE (account, subscription_id, event, stream_pk, thread_id, who),
      FOREIGN KEY (account, subscription_id) REFERENCES subscriptions ON DELETE CASCADE)${clustered}`,
    `CREATE INDEX notices_due ON notices (account, due)`,
    `CREATE TABLE notified_accounts (account_id ${text} PRIMARY KEY)${clustered}`,
    ...guardByNumber(['subscriptions', 'notices']),
  ];
}
