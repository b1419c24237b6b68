import type { AgreeingRules } from '../../../../shared/domain/rule-agreement.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount } from '../../../state/format.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Table } from '../../../ui/Table.tsx';
import { ruleNames } from '../record.ts';
import { Part } from './Part.tsx';
import { t } from '../../../text/t.ts';

const PAGE = 10;

/** Rules that may ask the same thing twice: shown for a person to judge, never corrected. */
export function AgreeingPairs({ run, pairs }: { run: RunRecord; pairs: readonly AgreeingRules[] }) {
  const pager = usePager(pairs.length, PAGE);
  const names = ruleNames(run);
  const nameAt = (column: number): string => names(run.frozen.rules[column] ?? '');
  const note =
    pairs.length === 0
      ? t('No two rules have the same outcome for every item for which both were recorded.')
      : t(
          '{pairs, plural, one {# pair of rules has} other {# pairs of rules have}} the same outcome for every item for which both were recorded. Two rules that ask the same count it twice; where items are few, or rules never vary, they agree by chance. Nothing is corrected.',
          { pairs: pairs.length },
        );
  return (
    <Part title={t('Rules that always agree')} note={note}>
      {pairs.length > 0 && (
        <>
          <Table
            caption={t('Rules that always agree')}
            dense
            head={
              <tr>
                <th scope="col">{t('Rule')}</th>
                <th scope="col">{t('Rule')}</th>
                <th scope="col" className="n">
                  {t('Items compared')}
                </th>
                <th scope="col">{t('Outcomes')}</th>
              </tr>
            }
          >
            {pairs.slice(pager.first, pager.end).map(({ first, second, compared, varies }) => (
              <tr key={`${first} ${second}`}>
                <th scope="row">{nameAt(first)}</th>
                <td>{nameAt(second)}</td>
                <td className="n">{formatCount(compared)}</td>
                <td>{varies ? t('vary alike') : t('always one and the same')}</td>
              </tr>
            ))}
          </Table>
          <Pager pager={pager} what={t('pairs')} />
        </>
      )}
    </Part>
  );
}
