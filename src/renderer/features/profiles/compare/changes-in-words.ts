import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { plural } from '../../../state/format.ts';
import { compareHeaders, compareRules } from './compare.ts';

/** "1 rule added, 2 rules changed, 1 header field changed", or that nothing differs. */
export function changesInWords(before: ProfileDocument, after: ProfileDocument): string {
  const rules = compareRules(before, after);
  const count = (kind: 'added' | 'removed' | 'changed'): number =>
    rules.filter((rule) => rule.kind === kind).length;
  const moved = rules.filter((rule) => 'moved' in rule && rule.moved).length;
  const parts: [number, string][] = [
    [count('added'), 'added'],
    [count('changed'), 'changed'],
    [count('removed'), 'removed'],
    [moved, 'moved'],
  ];
  const words = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${plural(number, 'rule')} ${word}`);
  const headers = compareHeaders(before, after).length;
  if (headers > 0) words.push(`${plural(headers, 'header field')} changed`);
  return words.length === 0 ? 'nothing differs' : words.join(', ');
}
