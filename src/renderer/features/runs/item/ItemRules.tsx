import { signed } from '../sentences.ts';
import { formatShare } from '../../../state/format.ts';
import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { provenanceWords } from '../record.ts';
import type { RunAuthors } from '../../../../shared/domain/run-authors.ts';
import { recorderWords } from '../recorders.ts';
import { type ItemFacts, meaningOf, raiseSentence } from './item-facts.ts';
import { t } from '../../../text/t.ts';

const HEAD = (
  <tr>
    <th scope="col" className="n">
      #
    </th>
    <th scope="col">{t('Rule')}</th>
    <th scope="col">{t('Outcome, and what it means')}</th>
    <th scope="col">{t('Reported value')}</th>
    <th scope="col">{t('Source')}</th>
    <th scope="col">{t('Notes')}</th>
    <th scope="col">{t('Recorded by')}</th>
    <th scope="col" className="n">
      {t('Mean if flipped')}
    </th>
  </tr>
);

/** The rules of an item: what was found, what proves it, who recorded it, what it moves. */
export function ItemRules({
  facts,
  authors,
}: {
  facts: ItemFacts;
  authors: RunAuthors | undefined;
}) {
  const { result, rules, row } = facts;
  return (
    <Section title={t('Rules of this item')} note={raiseSentence(facts)}>
      <Table caption={t('Rules of this item')} dense head={HEAD}>
        {rules.map(({ column, uid, rule, state, detail, flipped }) => {
          const author = authors?.of(row, column);
          return (
            <tr key={uid}>
              <td className="n">{rule?.ruleOrder}</td>
              <th scope="row">{rule?.name ?? uid}</th>
              <td className="wide">
                <OutcomeMark kind={state ?? 'unrecorded'} label />
                <span className="row-note">{meaningOf(rule, state)}</span>
              </td>
              <td>{detail?.source_value}</td>
              <td>{provenanceWords(detail?.provenance ?? null)}</td>
              <td>{detail?.notes}</td>
              <td>{author !== undefined && recorderWords(author)}</td>
              <td className="n">
                {formatShare(flipped.theta_mean, 3)} (
                {signed(flipped.theta_mean - result.theta_mean, 3)})
              </td>
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}
