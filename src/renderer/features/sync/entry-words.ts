import { outcomeWords, RawOutcome } from '../../../shared/domain/outcome.ts';
import type { UnsentChange, UnsentEntry } from '../../data/store/unsent.ts';

const LONGEST = 120;

/** A value for reading; what is long is cut and says so. */
export function valueWords({ field }: UnsentEntry, value: unknown): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'unrecorded';
  const outcome = field === 'outcome' ? RawOutcome.safeParse(value) : undefined;
  if (outcome?.success) return outcomeWords(outcome.data);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}

export function fieldWords({ field, item, rule }: UnsentEntry): string {
  if (rule !== null) return field === 'notes' ? 'Notes' : 'Outcome';
  return item === null
    ? field
    : field === 'x'
      ? 'Item removed'
      : `Item’s ${field.replaceAll('_', ' ')}`;
}

export const STATE_WORDS: Record<UnsentChange['state'], string> = {
  waiting: 'pending',
  blocked: 'set aside',
  damaged: 'rejected',
};
