import type { Meet } from './plan.ts';
import type { Meaning } from './values.ts';
import { t } from '../../../text/t.ts';

/** What a value may map to. */
export const MEANINGS = [
  { value: 'FALSE', label: t('FALSE, evidence present') },
  { value: 'TRUE', label: t('TRUE, problem found') },
  { value: 'NA', label: t('NA, not available') },
  { value: 'unrecorded', label: t('Clear to unrecorded') },
  { value: 'skip', label: t('Leave as it is') },
] as const satisfies readonly { value: Meaning; label: string }[];

export const MEET_WORDS: Record<Meet, { label: string; hint: string }> = {
  fill: {
    label: t('Fill only what is unrecorded'),
    hint: t('Recorded cells and fields stay as they are; what the file says otherwise is listed.'),
  },
  overwrite: {
    label: t('Overwrite'),
    hint: t('The file replaces what is recorded; each replaced value is listed.'),
  },
  differ: {
    label: t('Leave out what differs'),
    hint: t('As the first; cells of the same outcome also get the file’s reported value.'),
  },
};
