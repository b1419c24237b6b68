import type { SqlWords } from './sql-words.ts';

/**
 * Wrong passwords that were tried for a person where they never signed in, by the hash of the
 * address: shown to the person at the next sign-in.
 */
export function triedPasswords({ int, text, clustered, guard }: SqlWords): string[] {
  const whole = (column: string): string =>
    `${column} ${int} NOT NULL CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `CREATE TABLE tried_passwords (user_id ${text} NOT NULL REFERENCES users,
      subject ${text} NOT NULL, ${whole('wrong')}, ${whole('refused')}, first_at ${text} NOT NULL,
      last_at ${text} NOT NULL, PRIMARY KEY (user_id, subject))${clustered}`,
    `CREATE INDEX tried_passwords_by_time ON tried_passwords (last_at)`,
    ...guard(['tried_passwords']),
  ];
}
