import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';

/** What the column `listed` of cases and projects says. */
export const LISTED: Readonly<Record<RecordState, number>> = { active: 0, archived: 1, deleted: 2 };
