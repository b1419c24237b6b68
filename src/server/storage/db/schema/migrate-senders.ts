import type { SqlWords } from './sql-words.ts';

/**
 * Who sent each change that this server did not write itself; and keys that are limited to some
 * projects.
 */
export function senders(w: SqlWords): string[] {
  return [
    `ALTER TABLE changes ADD COLUMN sent_by ${w.text}`,
    ...w.freezeOnly('changes', [
      'stream_pk',
      'seq',
      'change_id',
      'text',
      'packed',
      'chain',
      'hlc',
      'wall',
      'received_at',
      'actor',
      'author',
      'author_kind',
      'key_id',
      'why',
      'relayed',
      'clock_suspect',
      'origin',
      'sent_by',
    ]),
    `ALTER TABLE api_keys ADD COLUMN projects ${w.text} CHECK (${w.isJson('projects')})`,
  ];
}
