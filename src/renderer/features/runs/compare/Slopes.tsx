import { useMemo } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatDateTime, plural } from '../../../state/format.ts';
import { Table } from '../../../ui/Table.tsx';
import { drawSlopes } from '../figures/draw-slopes.tsx';
import { shareWords } from '../figures/drawing.tsx';
import { RunFigure } from '../figures/RunFigure.tsx';
import { signed } from '../sentences.ts';
import { slopeLines } from './slope-lines.ts';

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
      title="Means in both runs"
      sentence={
        `${plural(
          sum((line) => line.to > line.from),
          'item',
        )} rose, ` +
        `${formatCount(sum((line) => line.to < line.from))} fell, ` +
        `${formatCount(sum((line) => line.to === line.from))} stayed. A line is all items with the ` +
        'same two means; a thicker one stands for more of them. Dashes: fell.'
      }
      drawing={drawing}
      table={
        <Table
          caption="Means in both runs"
          dense
          head={
            <tr>
              <th scope="col">Item</th>
              <th scope="col" className="n">
                Items
              </th>
              <th scope="col" className="n">
                Earlier mean
              </th>
              <th scope="col" className="n">
                Later mean
              </th>
              <th scope="col" className="n">
                Change
              </th>
            </tr>
          }
        >
          {lines.slice(0, LISTED).map((line) => (
            <tr key={`${line.from} ${line.to}`}>
              <th scope="row">
                {line.name}
                {line.items > 1 && ` and ${formatCount(line.items - 1)} more`}
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
