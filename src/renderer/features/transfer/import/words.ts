import type { Meet } from './plan.ts';
import type { Meaning } from './values.ts';

/** What a value may map to. */
export const MEANINGS = [
  { value: 'FALSE', label: 'FALSE, evidence present' },
  { value: 'TRUE', label: 'TRUE, problem found' },
  { value: 'NA', label: 'NA, not available' },
  { value: 'unrecorded', label: 'Clear to unrecorded' },
  { value: 'skip', label: 'Leave as it is' },
] as const satisfies readonly { value: Meaning; label: string }[];

export const MEET_WORDS: Record<Meet, { label: string; hint: string }> = {
  fill: {
    label: 'Fill only what is unrecorded',
    hint: 'Recorded cells and fields stay as they are; what the file says otherwise is listed.',
  },
  overwrite: {
    label: 'Overwrite',
    hint: 'The file replaces what is recorded; each replaced value is listed.',
  },
  differ: {
    label: 'Leave out what differs',
    hint: 'As the first; cells of the same outcome also get the file’s reported value.',
  },
};
