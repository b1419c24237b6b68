import type { ReactNode } from 'react';
import { Badge } from '../../../ui/Badge.tsx';
import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import {
  RULE_TEXTS,
  type RuleComparison,
  type RuleText,
} from '../../../../shared/domain/profile-comparison.ts';
import { WordDiff } from './WordDiff.tsx';
import './compare.css';
import { t } from '../../../text/t.ts';

const TEXT_NAMES: Record<RuleText, ReactNode> = {
  name: t('Name'),
  description: t('What to check'),
  evidenceMeaning: <OutcomeMark kind="FALSE" label />,
  problemMeaning: <OutcomeMark kind="TRUE" label />,
  notAvailableMeaning: <OutcomeMark kind="NA" label />,
};

export const KIND_WORDS: Record<RuleComparison['kind'], string> = {
  added: t('+ added'),
  removed: t('− removed'),
  changed: t('≠ changed'),
  unchanged: t('= unchanged'),
};
const TONES = {
  added: 'accent',
  removed: 'danger',
  changed: 'warning',
  unchanged: 'plain',
} as const;

export function KindBadges({ rule }: { rule: RuleComparison }) {
  return (
    <>
      <Badge tone={TONES[rule.kind]}>{KIND_WORDS[rule.kind]}</Badge>
      {'moved' in rule && rule.moved && (
        <Badge>
          {t('↕ moved, {from} to {to}', {
            from: rule.before.ruleOrder,
            to: rule.after.ruleOrder,
          })}
        </Badge>
      )}
    </>
  );
}

/** What differs in one rule, text by text. An added or removed rule is shown whole. */
export function RuleDiff({ rule }: { rule: RuleComparison }) {
  const shown =
    rule.kind === 'added' ? rule.after : rule.kind === 'removed' ? rule.before : rule.after;
  const texts =
    rule.kind === 'changed' ? rule.texts : rule.kind === 'unchanged' ? [] : RULE_TEXTS.slice(1);
  return (
    <article
      className="pc-rule"
      data-kind={rule.kind}
      aria-label={`${shown.name}, ${KIND_WORDS[rule.kind].slice(2)}`}
    >
      <header className="pc-rule-head">
        <h3 className="pc-rule-name">{shown.name}</h3>
        <code className="rule-uid">{rule.ruleUid}</code>
        <span className="pc-badges">
          <KindBadges rule={rule} />
        </span>
      </header>
      {texts.length > 0 && (
        <dl className="pc-texts">
          {texts.map((text) => (
            <div key={text} className="pc-row">
              <dt>{TEXT_NAMES[text]}</dt>
              <dd>
                {rule.kind === 'changed' ? (
                  <WordDiff before={rule.before[text]} after={rule.after[text]} />
                ) : (
                  <p className="pc-text">{shown[text]}</p>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  );
}
