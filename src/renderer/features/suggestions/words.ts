import type {
  DecisionsReceipt,
  SuggestionEntry,
  SuggestionState,
} from '../../../shared/contract/v1/suggestions.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import { OUTCOME_TEXT } from '../../ui/OutcomeMark.tsx';
import { t, tAs } from '../../text/t.ts';

export const STATE_WORDS: Readonly<Record<SuggestionState, string>> = {
  open: tAs('undecided', 'Open'),
  stale: t('Stale'),
  accepted: t('Accepted'),
  refused: t('Refused'),
  withdrawn: t('Withdrawn'),
};

/** An outcome that stands alone carries its meaning. */
export const outcomeWords = (outcome: RawOutcome): string =>
  `${OUTCOME_TEXT[outcome].name}, ${OUTCOME_TEXT[outcome].meaning}`;

/** What the rule says that this outcome means. */
export const meaningIn = (rule: ProfileRule | undefined, outcome: RawOutcome): string =>
  rule === undefined
    ? ''
    : { FALSE: rule.evidenceMeaning, TRUE: rule.problemMeaning, NA: rule.notAvailableMeaning }[
        outcome
      ];

const PARTS: Readonly<Record<string, string>> = {
  source: t('Source'),
  locator: t('Locator'),
  method: t('Method'),
  date: t('Date'),
};

export function provenanceText(value: SuggestionEntry['provenance']): string {
  if (value === null || typeof value === 'string') return value ?? '';
  const known = Object.keys(PARTS);
  const names = [...known.filter((name) => name in value), ...Object.keys(value)];
  return [...new Set(names)]
    .map((name) => {
      const part = value[name];
      return `${PARTS[name] ?? name}: ${typeof part === 'string' ? part : JSON.stringify(part)}`;
    })
    .join('; ');
}

/** Why a decision was not carried out. */
export function leftWords({ decisions }: DecisionsReceipt): string {
  const state = decisions.find(({ status }) => status === 'left')?.state;
  return state === 'accepted' || state === 'refused'
    ? t('Nothing was decided: somebody else has decided it meanwhile.')
    : t('Nothing was decided: the suggestion or its cell has changed meanwhile. Look again.');
}
