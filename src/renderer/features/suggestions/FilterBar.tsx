import type { ProfileRule } from '../../../shared/domain/profile.ts';
import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import type { SuggestionState } from '../../../shared/contract/v1/suggestions.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';
import { ANY, OUTCOME_OPTIONS, ruleOptions, type SourceOption, sourceOptions } from './choices.ts';
import type { ListFilter } from './use-suggestions.ts';
import { STATE_WORDS } from './words.ts';

const STATES = (Object.keys(STATE_WORDS) as SuggestionState[]).map((value) => ({
  value,
  label: STATE_WORDS[value],
}));
const chosen = <T extends string>(value: string): T | undefined =>
  value === ANY ? undefined : (value as T);

interface FilterBarProps {
  filter: ListFilter;
  rules: readonly ProfileRule[];
  sources: readonly SourceOption[];
  onFilter: (filter: ListFilter) => void;
  /** Absent for those who may not decide. */
  onRule: (() => void) | undefined;
}

export function FilterBar({ filter, rules, sources, onFilter, onRule }: FilterBarProps) {
  return (
    <div className="toolbar" role="group" aria-label={t('Filter suggestions')}>
      <Select
        inline
        label={t('State')}
        options={STATES}
        value={filter.state}
        onValue={(state) => onFilter({ ...filter, state })}
      />
      <Select
        inline
        label={t('Suggested by')}
        options={sourceOptions(sources)}
        value={filter.source ?? ANY}
        onValue={(source) => onFilter({ ...filter, source: chosen(source) })}
      />
      <Select
        inline
        label={t('Rule')}
        options={ruleOptions(rules)}
        value={filter.rule_uid ?? ANY}
        onValue={(rule) => onFilter({ ...filter, rule_uid: chosen(rule) })}
      />
      <Select
        inline
        label={t('Outcome')}
        options={OUTCOME_OPTIONS}
        value={filter.raw_outcome ?? ANY}
        onValue={(outcome) => onFilter({ ...filter, raw_outcome: chosen<RawOutcome>(outcome) })}
      />
      {onRule !== undefined && <Button onClick={onRule}>{t('Decide many by a rule…')}</Button>}
    </div>
  );
}
