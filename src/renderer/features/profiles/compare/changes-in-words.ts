import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { compareHeaders, compareRules } from '../../../../shared/domain/profile-comparison.ts';
import { t } from '../../../text/t.ts';

/** "1 rule added, 2 rules changed, 1 header field changed", or that nothing differs. */
export function changesInWords(before: ProfileDocument, after: ProfileDocument): string {
  const rules = compareRules(before, after);
  const count = (kind: 'added' | 'removed' | 'changed'): { rules: number } => ({
    rules: rules.filter((rule) => rule.kind === kind).length,
  });
  const [added, changed, removed] = [count('added'), count('changed'), count('removed')];
  const moved = { rules: rules.filter((rule) => 'moved' in rule && rule.moved).length };
  const fields = compareHeaders(before, after).length;
  const words: [number, string][] = [
    [added.rules, t('{rules, plural, one {# rule} other {# rules}} added', added)],
    [changed.rules, t('{rules, plural, one {# rule} other {# rules}} changed', changed)],
    [removed.rules, t('{rules, plural, one {# rule} other {# rules}} removed', removed)],
    [moved.rules, t('{rules, plural, one {# rule} other {# rules}} moved', moved)],
    [
      fields,
      t('{fields, plural, one {# header field} other {# header fields}} changed', { fields }),
    ],
  ];
  const said = words.flatMap(([number, part]) => (number > 0 ? [part] : []));
  return said.length === 0 ? t('nothing differs') : said.join(', ');
}
