import type { SqlWords } from './sql-words.ts';

/**
 * What a key may suggest, and how much of it is used up today; and keys that a person has paused.
 * Suggestions of one source are found, to count those that wait.
 */
export function keyLimits({ int, text }: SqlWords): string[] {
  const whole = (column: string): string =>
    `${column} ${int} CHECK (${column} BETWEEN 0 AND 9007199254740991)`;
  return [
    `ALTER TABLE api_keys ADD COLUMN paused_at ${text}`,
    `ALTER TABLE api_keys ADD COLUMN ${whole('suggestions_a_day')}`,
    `ALTER TABLE api_keys ADD COLUMN ${whole('open_suggestions')}`,
    `ALTER TABLE api_keys ADD COLUMN suggested_on ${text}`,
    `ALTER TABLE api_keys ADD COLUMN ${whole('suggested')}`,
    `CREATE INDEX suggestions_by_source ON suggestions (account, source)`,
  ];
}
