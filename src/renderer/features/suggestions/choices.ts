import type { SuggestionEntry } from '../../../shared/contract/v1/suggestions.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import type { SelectOption } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';
import { outcomeWords } from './words.ts';

/** The choice that leaves nothing out. */
export const ANY = 'any';

/** Who has suggested something, as a choice. */
export interface SourceOption {
  source: string;
  name: string;
}

export const OUTCOME_OPTIONS: readonly SelectOption<string>[] = [
  { value: ANY, label: t('Any outcome') },
  ...(['FALSE', 'TRUE', 'NA'] as const).map((value) => ({ value, label: outcomeWords(value) })),
];

export const ruleOptions = (rules: readonly ProfileRule[]): SelectOption<string>[] => [
  { value: ANY, label: t('Any rule') },
  ...rules.map(({ ruleUid, name }) => ({ value: ruleUid, label: name })),
];

export const sourceOptions = (sources: readonly SourceOption[]): SelectOption<string>[] => [
  { value: ANY, label: t('Anybody') },
  ...sources.map(({ source, name }) => ({ value: source, label: name })),
];

/** These sources, and those of more entries, each once. */
export function withSources(
  known: readonly SourceOption[],
  entries: readonly SuggestionEntry[],
): readonly SourceOption[] {
  const names = new Map(known.map(({ source, name }) => [source, name]));
  for (const { source, suggested_by } of entries)
    if (source !== null && !names.has(source)) names.set(source, suggested_by.name);
  return names.size === known.length
    ? known
    : [...names].map(([source, name]) => ({ source, name }));
}
