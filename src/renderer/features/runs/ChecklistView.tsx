import { formatCount } from '../../state/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import type { Checklist } from './run-plan.ts';
import { t } from '../../text/t.ts';

/** What the run is going to say about how complete it is, before it is made. */
export function ChecklistView({ checklist }: { checklist: Checklist }) {
  const { items, rules, recorded, problems, bareProblems, unrecorded, waiting } = checklist;
  const numbers = [
    { name: t('Items'), value: items },
    { name: t('Rules'), value: rules },
    { name: t('Recorded'), value: recorded },
    { name: t('Not recorded'), value: unrecorded },
    { name: t('Problems found'), value: problems },
    { name: t('Conflicts'), value: checklist.contested.length },
  ];
  return (
    <section className="section" aria-label={t('Before the run')}>
      <dl className="checklist">
        {numbers.map((number) => (
          <div key={number.name} className="number">
            <dt>{number.name}</dt>
            <dd>
              <span className="number-value">{formatCount(number.value)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {items === 0 && (
        <Notice tone="warning" title={t('There is nothing to run yet')}>
          <p>{t('Add at least one item to the matrix.')}</p>
        </Notice>
      )}
      {unrecorded > 0 && (
        <Notice
          tone="warning"
          title={t('{cells, plural, one {# cell} other {# cells}} not recorded', {
            cells: unrecorded,
          })}
        >
          <p>
            {t(
              'In the run each counts as NA, so as 0, and is listed as unrecorded: nobody has looked, which is not the same as having found nothing.',
            )}
          </p>
        </Notice>
      )}
      {bareProblems > 0 && (
        <p className="small muted">
          {problems === bareProblems
            ? t('No problem has notes that say what was found. The run takes them as they are.')
            : t(
                '{bare, number} of {problems, plural, one {# problem} other {# problems}} {bare, plural, one {has} other {have}} no notes that say what was found. The run takes them as they are.',
                { bare: bareProblems, problems },
              )}
        </p>
      )}
      {waiting > 0 && (
        <p className="small muted">
          {t(
            '{waiting, plural, one {# change of this window is on the way to the server; the run waits for it.} other {# changes of this window are on the way to the server; the run waits for them.}}',
            { waiting },
          )}
        </p>
      )}
    </section>
  );
}
