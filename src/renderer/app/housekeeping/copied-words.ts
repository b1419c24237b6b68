import type { CaseCopy } from '../../../shared/contract/v1/housekeeping.ts';
import { KIND_WORD } from '../../state/role-words.ts';
import { t } from '../../text/t.ts';

/** Whose evidence a copy holds: "40 cells recorded by Ann, 12 by reader-7 (agent)". */
export function copiedWords({ items, outcomes, recorded_by, conflicts }: CaseCopy): string {
  if (items === 0) return t('Without items.');
  if (outcomes === 0)
    return t('{items, plural, one {# item} other {# items}}, nothing recorded.', { items });
  const whose = recorded_by.map(({ name, kind, outcomes: n }) =>
    t('{n, number} recorded by {name}', {
      n,
      name: kind === 'human' ? name : `${name} (${KIND_WORD[kind]})`,
    }),
  );
  const open =
    conflicts === 0
      ? ''
      : ` ${t('Of {conflicts, plural, one {# conflict} other {# conflicts}} the shown value.', { conflicts })}`;
  const held = t(
    '{items, plural, one {# item} other {# items}}, {cells, plural, one {# cell} other {# cells}}',
    { items, cells: outcomes },
  );
  return `${held}: ${whose.join(', ')}.${open}`;
}
