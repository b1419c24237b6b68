import type { ReactNode } from 'react';
import type { MatrixSession } from '../../../data/store/port.ts';
import { formatCount } from '../../../state/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { RuleDiff } from '../compare/RuleDiff.tsx';
import type { RuleCount } from './carry-cells.ts';
import type { RulePlan } from '../../../../shared/domain/carry-plan.ts';
import { t } from '../../../text/t.ts';

interface RulesProps {
  plan: RulePlan;
  counts: ReadonlyMap<string, RuleCount>;
  source: MatrixSession;
}

const NONE: RuleCount = { recorded: 0, open: 0 };
const countOf = (counts: RulesProps['counts'], ruleUid: string): RuleCount =>
  counts.get(ruleUid) ?? NONE;

/** The cells of these rules that are recorded, or that are open to be copied into. */
export const sumOf = (
  counts: RulesProps['counts'],
  rules: readonly { ruleUid: string }[],
  member: keyof RuleCount,
): number => rules.reduce((total, rule) => total + countOf(counts, rule.ruleUid)[member], 0);

/** What becomes of the outcomes of each kind of rule. */
export function CarryTable({
  plan,
  counts,
  source,
  target,
}: RulesProps & { target: MatrixSession }) {
  const open = sumOf(counts, plan.copied, 'open');
  const recorded = (rules: readonly { ruleUid: string }[]): number =>
    sumOf(counts, rules, 'recorded');
  const skipped = recorded(plan.copied) - open;
  return (
    <Table
      caption={t('What becomes of the outcomes')}
      head={
        <tr>
          <th scope="col">{t('Text of the rule')}</th>
          <th scope="col" className="n">
            {t('Rules')}
          </th>
          <th scope="col" className="n">
            {t('Recorded cells')}
          </th>
          <th scope="col">{t('What happens')}</th>
        </tr>
      }
    >
      <Row name={t('Unchanged')} rules={plan.copied.length} cells={recorded(plan.copied)}>
        {skipped > 0
          ? t(
              '{open, number} to copy; {skipped, number} skipped, recorded under {version} already',
              { open, skipped, version: target.profile.version },
            )
          : t('{open, number} to copy', { open })}
      </Row>
      <Row name={t('Changed')} rules={plan.review.length} cells={recorded(plan.review)}>
        {t('Not copied. Listed for review.')}
      </Row>
      <Row name={t('Removed')} rules={plan.removed.length} cells={recorded(plan.removed)}>
        {t('Stay under {version} alone.', { version: source.profile.version })}
      </Row>
      <Row name={t('New')} rules={plan.added.length} cells={0}>
        {t('Unrecorded so far.')}
      </Row>
    </Table>
  );
}

function Row({
  name,
  rules,
  cells,
  children,
}: {
  name: string;
  rules: number;
  cells: number;
  children: ReactNode;
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{formatCount(rules)}</td>
      <td className="n">{formatCount(cells)}</td>
      <td>{rules === 0 ? <span className="muted">{t('none')}</span> : children}</td>
    </tr>
  );
}

/** The rules whose text changed, word by word. */
export function ChangedRules({ plan, counts, source }: RulesProps) {
  if (plan.review.length === 0) return null;
  return (
    <Section
      title={t('Changed rules')}
      note={t('Their outcomes are not copied, because their meaning has changed.')}
    >
      <div className="pc-rules">
        {plan.review.map((rule) => (
          <div key={rule.ruleUid} className="carry-rule">
            <RuleDiff rule={rule} />
            <p className="muted small">
              {t(
                '{recorded, plural, one {# recorded cell} other {# recorded cells}} under {version}',
                {
                  recorded: countOf(counts, rule.ruleUid).recorded,
                  version: source.profile.version,
                },
              )}
            </p>
          </div>
        ))}
      </div>
    </Section>
  );
}

/** The rules that only one of the two versions has. */
export function OtherRules({ plan, counts }: Omit<RulesProps, 'source'>) {
  return (
    <div className="two-columns">
      <Names
        title={t('Removed')}
        rules={plan.removed.map(({ ruleUid, before }) => ({
          uid: ruleUid,
          name: before.name,
          note: t('{cells, plural, one {# recorded cell} other {# recorded cells}}', {
            cells: countOf(counts, ruleUid).recorded,
          }),
        }))}
      />
      <Names
        title={t('New')}
        rules={plan.added.map((rule) => ({ uid: rule.ruleUid, name: rule.after.name, note: '' }))}
      />
    </div>
  );
}

function Names({
  title,
  rules,
}: {
  title: string;
  rules: readonly { uid: string; name: string; note: string }[];
}) {
  if (rules.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="plain-list">
        {rules.map((rule) => (
          <li key={rule.uid}>
            {rule.name} <code className="small">{rule.uid}</code>{' '}
            <span className="muted small">{rule.note}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
