import { Link } from 'react-router';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { WithoutRule } from '../../../../shared/domain/sensitivity.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Table } from '../../../ui/Table.tsx';
import { nameOf } from '../figures/figure-items.ts';
import { itemPath } from '../item/item-path.ts';
import { ruleNames } from '../record.ts';
import { signed } from '../sentences.ts';
import { Part } from './Part.tsx';
import { t, tAs } from '../../../text/t.ts';

const PAGE = 10;

/** The item that a rule's absence moves most. */
function MovedMost({ run, most }: { run: RunRecord; most: WithoutRule['most'] }) {
  const item = run.frozen.items[most.row];
  if (item === undefined || most.change === 0)
    return <span className="muted">{tAs('item', 'none')}</span>;
  return (
    <>
      <Link to={itemPath(run.run_uid, item.item_uid)}>{nameOf(item)}</Link> {signed(most.change, 1)}
    </>
  );
}

/** How much the result rests on each rule. */
export function WithoutRules({
  run,
  without,
}: {
  run: RunRecord;
  without: readonly WithoutRule[];
}) {
  const pager = usePager(without.length, PAGE);
  const names = ruleNames(run);
  const { mean_theta } = run.result.global;
  const first = without[0];
  if (first === undefined)
    return (
      <Part
        title={t('Without each rule')}
        note={t('The profile has one rule: without it there is no result.')}
      />
    );
  const largest = Math.abs(first.spread.mean_theta - mean_theta);
  return (
    <Part
      title={t('Without each rule')}
      note={t(
        'The result of the other rules, the largest change first. No single rule moves the mean by more than {largest}. An item moves where its percentile differs.',
        { largest: formatShare(largest, 3) },
      )}
    >
      <Table
        caption={t('The result without each rule')}
        dense
        head={
          <tr>
            <th scope="col">{t('Left out')}</th>
            <th scope="col" className="n">
              {t('Mean sufficiency')}
            </th>
            <th scope="col" className="n">
              {tAs('difference', 'Change')}
            </th>
            <th scope="col" className="n">
              {t('Median')}
            </th>
            <th scope="col" className="n">
              {t('Items that move')}
            </th>
            <th scope="col">{t('Moves most, percentile')}</th>
          </tr>
        }
      >
        {without.slice(pager.first, pager.end).map(({ column, spread, moved, most }) => (
          <tr key={column}>
            <th scope="row">{names(run.frozen.rules[column] ?? '')}</th>
            <td className="n">{formatShare(spread.mean_theta, 3)}</td>
            <td className="n">{signed(spread.mean_theta - mean_theta, 3)}</td>
            <td className="n">{formatShare(spread.median_theta, 3)}</td>
            <td className="n">{formatCount(moved)}</td>
            <td>
              <MovedMost run={run} most={most} />
            </td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what={t('rules')} />
    </Part>
  );
}
