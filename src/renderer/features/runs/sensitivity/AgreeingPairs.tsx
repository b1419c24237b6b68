import type { AgreeingRules } from '../../../../shared/domain/rule-agreement.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Table } from '../../../ui/Table.tsx';
import { ruleNames } from '../record.ts';
import { Part } from './Part.tsx';

const PAGE = 10;

/** Rules that may ask the same thing twice: shown for a person to judge, never corrected. */
export function AgreeingPairs({ run, pairs }: { run: RunRecord; pairs: readonly AgreeingRules[] }) {
  const pager = usePager(pairs.length, PAGE);
  const names = ruleNames(run);
  const nameAt = (column: number): string => names(run.frozen.rules[column] ?? '');
  const note =
    pairs.length === 0
      ? 'No two rules have the same outcome for every item for which both were recorded.'
      : `${plural(pairs.length, 'pair')} of rules ${pairs.length === 1 ? 'has' : 'have'} the same outcome for every item for which both were recorded. Two rules that ask the same count it twice; where items are few, or rules never vary, they agree by chance. Nothing is corrected.`;
  return (
    <Part title="Rules that always agree" note={note}>
      {pairs.length > 0 && (
        <>
          <Table
            caption="Rules that always agree"
            dense
            head={
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">Rule</th>
                <th scope="col" className="n">
                  Items compared
                </th>
                <th scope="col">Outcomes</th>
              </tr>
            }
          >
            {pairs.slice(pager.first, pager.end).map(({ first, second, compared, varies }) => (
              <tr key={`${first} ${second}`}>
                <th scope="row">{nameAt(first)}</th>
                <td>{nameAt(second)}</td>
                <td className="n">{formatCount(compared)}</td>
                <td>{varies ? 'vary alike' : 'always one and the same'}</td>
              </tr>
            ))}
          </Table>
          <Pager pager={pager} what="pairs" />
        </>
      )}
    </Part>
  );
}
