import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import { formatCount } from '../../../state/format.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { type Counts, STATE_WORDS, type StateKey } from '../model/states.ts';
import { t } from '../../../text/t.ts';

/** What the profile says FALSE, TRUE and NA stand for under this rule. */
export function meaningOf(rule: ProfileRule, state: StateKey): string {
  switch (state) {
    case 'FALSE':
      return rule.evidenceMeaning;
    case 'TRUE':
      return rule.problemMeaning;
    case 'NA':
      return rule.notAvailableMeaning;
    case 'unrecorded':
      return t('Nobody has recorded this cell. A run counts it as not available and lists it.');
  }
}

const SHOWN = ['FALSE', 'TRUE', 'NA'] as const;

export function Meanings({ rule, counts }: { rule: ProfileRule; counts: Counts }) {
  return (
    <dl className="mx-meanings">
      {SHOWN.map((state, index) => (
        <div key={state} className="mx-meaning">
          <dt>
            <Mark state={state} />
            <span className="mx-meaning-name">{state}</span> {STATE_WORDS[state].meaning}
            <span className="mx-meaning-count">{formatCount(counts[index] ?? 0)}</span>
          </dt>
          <dd>{meaningOf(rule, state)}</dd>
        </div>
      ))}
    </dl>
  );
}
