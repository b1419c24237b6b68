import { outcomeWords, RawOutcome } from '../../../shared/domain/outcome.ts';
import type { UnsentChange, UnsentEntry } from '../../data/store/unsent.ts';
import { t, tOf } from '../../text/t.ts';

const LONGEST = 120;

/** A value for reading; what is long is cut and says so. */
export function valueWords({ field }: UnsentEntry, value: unknown): string {
  if (value === undefined) return t('unknown');
  if (value === null) return t('unrecorded');
  const outcome = field === 'outcome' ? RawOutcome.safeParse(value) : undefined;
  if (outcome?.success) return tOf(outcomeWords(outcome.data));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST
    ? t('{start}… ({count} characters)', { start: text.slice(0, LONGEST), count: text.length })
    : text;
}

export function fieldWords({ field, item, rule }: UnsentEntry): string {
  if (rule !== null) return field === 'notes' ? t('Notes') : t('Outcome');
  return item === null
    ? field
    : field === 'x'
      ? t('Item removed')
      : t('Item’s {field}', { field: field.replaceAll('_', ' ') });
}

export const STATE_WORDS: Record<UnsentChange['state'], string> = {
  waiting: t('pending'),
  blocked: t('set aside'),
  damaged: t('rejected'),
};
