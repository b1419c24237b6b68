import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';

/** Which records a list shows. */
export const STATES: readonly { value: RecordState; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'archived', label: 'Archived' },
  { value: 'deleted', label: 'Deleted' },
];
