import { useEditor } from '../editor/use-editor.ts';
import { itemName, ruleName } from '../model/names.ts';
import { formatCount } from '../../../state/format.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_WORDS, type StateKey, stateKey } from '../model/states.ts';
import type { PastePlan } from './plan.ts';
import { t } from '../../../text/t.ts';

const UNASKED = t('Without a choice, skipped');

type Line = [words: string, count: number];

const recordedOf = (plan: PastePlan): Line[] => [
  [t('Newly recorded'), plan.fresh],
  [t('Overwritten'), plan.overwritten],
  [t('Of these in conflict'), plan.contested],
];
const suggestedOf = (plan: PastePlan): Line[] => [
  [t('Suggested where nothing is recorded'), plan.fresh],
  [t('Suggested beside another outcome'), plan.overwritten - plan.cleared],
  [t('Left as recorded: only outcomes can be suggested'), plan.cleared],
];

interface Shown {
  plan: PastePlan;
  /** Outcomes are suggested and not recorded, since the case is approved. */
  suggests: boolean;
}

/** The sum of it all. Read out again when a choice changes it. */
export function PasteSums({ plan, suggests }: Shown) {
  const lines: Line[] = [
    ...(suggests ? suggestedOf(plan) : recordedOf(plan)),
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

/** The first of the recorded cells that would get, or be suggested, another outcome. */
export function PasteReplaced({ plan, suggests }: Shown) {
  const { session } = useEditor();
  const listed = suggests ? plan.replaced.filter(({ after }) => after !== null) : plan.replaced;
  const more = plan.overwritten - (suggests ? plan.cleared : 0) - listed.length;
  if (listed.length === 0) return null;
  return (
    <section>
      <h3 className="mx-paste-title">
        {suggests ? t('Suggested beside another outcome') : t('Overwritten')}
      </h3>
      <div
        className="mx-refusals mx-paste-list"
        role="region"
        aria-label={suggests ? t('Cells with another outcome') : t('Overwritten cells')}
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col">{t('Rule')}</th>
              <th scope="col">{suggests ? t('Recorded') : t('Before')}</th>
              <th scope="col">{suggests ? t('Suggested') : t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ item, rule, before, after, contested }) => (
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
            { listed: listed.length, more },
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
