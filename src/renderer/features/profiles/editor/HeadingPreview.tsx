import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import type { DraftRule } from './draft.ts';
import { t } from '../../../text/t.ts';

const MEANINGS = [
  ['FALSE', 'evidenceMeaning'],
  ['TRUE', 'problemMeaning'],
  ['NA', 'notAvailableMeaning'],
] as const;

/** The card under the rule's heading in the matrix. */
export function HeadingPreview({ rule, place }: { rule: DraftRule; place: number }) {
  return (
    <section className="panel pe-preview" aria-label={t('Preview of rule {place}', { place })}>
      <h2 className="pe-side-title">{t('Card of the heading, rule {place}', { place })}</h2>
      <div className="pe-card">
        <p className="pe-card-name">
          {rule.name === '' ? <span className="muted">{t('No name yet')}</span> : rule.name}
        </p>
        <p className="rule-uid">{rule.ruleUid === '' ? t('no ID yet') : rule.ruleUid}</p>
        <p className="pe-card-text">{rule.description}</p>
        <dl className="pe-card-meanings">
          {MEANINGS.map(([kind, field]) => (
            <div key={kind}>
              <dt>
                <OutcomeMark kind={kind} label />
              </dt>
              <dd>
                {rule[field] === '' ? (
                  <span className="muted">{t('not written yet')}</span>
                ) : (
                  rule[field]
                )}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
