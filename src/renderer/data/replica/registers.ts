import type { ItemField } from '../../../sync/register.ts';
import type { ConflictingHead } from '../store/db.ts';

/** Where a register lives in this replica. */
export type Target =
  | { kind: 'assertion' | 'notes'; cell: number }
  | { kind: 'item'; itemIndex: number; field: ItemField };

/** The heads of a register that are not displayed, and the parents that have not arrived here. */
export interface RegisterHeads {
  others: ConflictingHead[];
  cited: string[];
}
