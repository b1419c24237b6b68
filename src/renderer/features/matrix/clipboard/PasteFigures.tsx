import { useEditor } from '../editor/use-editor.ts';
import { itemName, ruleName } from '../model/names.ts';
import { formatCount } from '../../../state/format.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_WORDS, type StateKey, stateKey } from '../model/states.ts';
import { LISTED, type PastePlan } from './plan.ts';
import { t } from '../../../text/t.ts';

const UNASKED = t('Without a choice, skipped');

/** The sum of it all. Read out again when a choice changes it. */
export function PasteSums({ plan }: { plan: PastePlan }) {
  const lines: [string, number][] = [
    [t('Newly recorded'), plan.fresh],
    [t('Overwritten'), plan.overwritten],
    [t('Of these in conflict'), plan.contested],
    [t('Unchanged'), plan.unchanged],
    [t('Empty cells'), plan.empty],
    [UNASKED, plan.rejected],
    [t('Skipped by choice'), plan.left],
    [t('Outside the matrix, skipped'), plan.outside],
    [t('Hidden items skipped'), plan.hiddenRows],
    [t('Hidden rules skipped'), plan.hiddenColumns],
  ];
  return (
    <div role="status" aria-label={t('What the paste would do')}>
      <dl className="mx-paste-sums">
        {lines
          .filter(([, count]) => count > 0)
          .map(([words, count]) => (
            <div key={words} data-asks={words === UNASKED ? '' : undefined}>
              <dt>{words}</dt>
              <dd>{formatCount(count)}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

export function PasteReplaced({ plan }: { plan: PastePlan }) {
  const { session } = useEditor();
  const more = plan.overwritten - plan.replaced.length;
  return (
    <section>
      <h3 className="mx-paste-title">{t('Overwritten')}</h3>
      <div
        className="mx-refusals mx-paste-list"
        role="region"
        aria-label={t('Overwritten cells')}
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col">{t('Rule')}</th>
              <th scope="col">{t('Before')}</th>
              <th scope="col">{t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {plan.replaced.map(({ item, rule, before, after, contested }) => (
              <tr key={`${item}\n${rule}`}>
                <td>{itemName(session, item)}</td>
                <td>
                  {ruleName(session, rule)}
                  {contested && <strong> {t('conflict')}</strong>}
                </td>
                <td>
                  <State of={stateKey(before)} />
                </td>
                <td>
                  <State of={stateKey(after)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <p className="muted small">
          {t(
            'The first {listed, number} are listed; {more, plural, one {# cell} other {# cells}} more.',
            { listed: LISTED, more },
          )}
        </p>
      )}
      {plan.contested > 0 && (
        <p className="small">{t('A conflict stays until someone resolves it in the panel.')}</p>
      )}
    </section>
  );
}

function State({ of }: { of: StateKey }) {
  return (
    <span className="mx-paste-state">
      <Mark state={of} />
      {STATE_WORDS[of].full}
    </span>
  );
}
