import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { t } from '../../text/t.ts';

/** Which records a list shows. */
export const STATES: readonly { value: RecordState; label: string }[] = [
  { value: 'active', label: t('Active') },
  { value: 'archived', label: t('Archived') },
  { value: 'deleted', label: t('Deleted') },
];
