import type { ReactNode } from 'react';
import type { ResultSpread } from '../../../../shared/domain/result.ts';
import { formatShare } from '../../../state/format.ts';
import { Table } from '../../../ui/Table.tsx';
import { rangeName, signed } from '../sentences.ts';
import { t, tAs } from '../../../text/t.ts';

interface SpreadRow {
  name: ReactNode;
  key: string;
  spread: ResultSpread;
}

/** The result of all items in several cases, each with its difference from the first. */
export function SpreadTable({
  caption,
  head,
  level,
  rows,
}: {
  caption: string;
  head: string;
  level: number;
  rows: readonly SpreadRow[];
}) {
  const frozen = rows[0]?.spread.mean_theta ?? 0;
  return (
    <Table
      caption={caption}
      dense
      head={
        <tr>
          <th scope="col">{head}</th>
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
            {rangeName(level)}
          </th>
        </tr>
      }
    >
      {rows.map(({ name, key, spread }) => (
        <tr key={key}>
          <th scope="row">{name}</th>
          <td className="n">{formatShare(spread.mean_theta, 3)}</td>
          <td className="n">{signed(spread.mean_theta - frozen, 3)}</td>
          <td className="n">{formatShare(spread.median_theta, 3)}</td>
          <td className="n">
            {formatShare(spread.lower_theta, 3)}–{formatShare(spread.upper_theta, 3)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
