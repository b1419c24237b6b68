import type { RunRecord } from '../../shared/domain/run.ts';
import { formatDateTime } from './format.ts';
import { t } from '../text/t.ts';

/**
 * Of a run that another server froze: who brought it here, with which key, and when; undefined for
 * one that was frozen here.
 */
export function sentByWords({
  sent_by,
  received_at,
}: Pick<RunRecord, 'sent_by' | 'received_at'>): string | undefined {
  if (sent_by === undefined) return undefined;
  const { key_name: key } = sent_by;
  const sender = sent_by.name ?? sent_by.user_id;
  if (received_at === undefined)
    return key === null
      ? t('sent by {sender}', { sender })
      : t('sent by {sender} with the key {key}', { sender, key });
  const when = formatDateTime(received_at);
  return key === null
    ? t('sent by {sender}, received {when}', { sender, when })
    : t('sent by {sender} with the key {key}, received {when}', { sender, key, when });
}
