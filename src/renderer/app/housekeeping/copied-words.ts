import type { CaseCopy } from '../../../shared/contract/v1/housekeeping.ts';
import { formatCount, plural } from '../../state/format.ts';

/** Whose evidence a copy holds: "40 cells recorded by Ann, 12 by reader-7 (agent)". */
export function copiedWords({ items, outcomes, recorded_by, conflicts }: CaseCopy): string {
  if (items === 0) return 'Without items.';
  if (outcomes === 0) return `${plural(items, 'item')}, nothing recorded.`;
  const whose = recorded_by.map(
    ({ name, kind, outcomes: n }) =>
      `${formatCount(n)} recorded by ${name}${kind === 'human' ? '' : ` (${kind})`}`,
  );
  const open = conflicts === 0 ? '' : ` Of ${plural(conflicts, 'conflict')} the shown value.`;
  return `${plural(items, 'item')}, ${plural(outcomes, 'cell')}: ${whose.join(', ')}.${open}`;
}
