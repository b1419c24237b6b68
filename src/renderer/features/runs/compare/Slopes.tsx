import { useMemo } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatDateTime } from '../../../state/format.ts';
import { Table } from '../../../ui/Table.tsx';
import { drawSlopes } from '../figures/draw-slopes.tsx';
import { shareWords } from '../figures/drawing.tsx';
import { RunFigure } from '../figures/RunFigure.tsx';
import { signed } from '../sentences.ts';
import { slopeLines } from './slope-lines.ts';
import { t, tAs } from '../../../text/t.ts';

/** Lines of the table: the others move less. */
const LISTED = 100;

/** Where each item's mean went from one run to the other. */
export function Slopes({ from, to }: { from: RunRecord; to: RunRecord }) {
  const lines = useMemo(
    () => slopeLines(from, to).sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from)),
    [from, to],
  );
  const drawing = useMemo(
    () => drawSlopes(lines, [formatDateTime(from.created_at), formatDateTime(to.created_at)]),
    [lines, from, to],
  );
  const sum = (way: (line: (typeof lines)[number]) => boolean): number =>
    lines.filter(way).reduce((items, line) => items + line.items, 0);
  if (lines.length === 0) return null;
  return (
    <RunFigure
      run={to}
      title={t('Means in both runs')}
      sentence={t(
        '{rose, plural, one {# item} other {# items}} rose, {fell, number} fell, {stayed, number} stayed. A line is all items with the same two means; a thicker one stands for more of them. Dashes: fell.',
        {
          rose: sum((line) => line.to > line.from),
          fell: sum((line) => line.to < line.from),
          stayed: sum((line) => line.to === line.from),
        },
      )}
      drawing={drawing}
      table={
        <Table
          caption={t('Means in both runs')}
          dense
          head={
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col" className="n">
                {t('Items')}
              </th>
              <th scope="col" className="n">
                {t('Earlier mean')}
              </th>
              <th scope="col" className="n">
                {t('Later mean')}
              </th>
              <th scope="col" className="n">
                {tAs('difference', 'Change')}
              </th>
            </tr>
          }
        >
          {lines.slice(0, LISTED).map((line) => (
            <tr key={`${line.from} ${line.to}`}>
              <th scope="row">
                {line.items === 1
                  ? line.name
                  : t('{name} and {more, number} more', {
                      name: line.name,
                      more: line.items - 1,
                    })}
              </th>
              <td className="n">{formatCount(line.items)}</td>
              <td className="n">{shareWords(line.from)}</td>
              <td className="n">{shareWords(line.to)}</td>
              <td className="n">{signed(line.to - line.from, 3)}</td>
            </tr>
          ))}
        </Table>
      }
    />
  );
}
