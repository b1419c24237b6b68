import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatDateTime } from '../../state/format.ts';

/**
 * Of a run that another server froze: who brought it here, with which key, and when; undefined for
 * one that was frozen here.
 */
export function sentByWords({
  sent_by,
  received_at,
}: Pick<RunRecord, 'sent_by' | 'received_at'>): string | undefined {
  if (sent_by === undefined) return undefined;
  const key = sent_by.key_name === null ? '' : ` with the key ${sent_by.key_name}`;
  return `sent by ${sent_by.name ?? sent_by.user_id}${key}${received_at === undefined ? '' : `, received ${formatDateTime(received_at)}`}`;
}
