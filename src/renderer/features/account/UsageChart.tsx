import type { Usage } from '../../../shared/contract/v1/account.ts';
import { formatCount, plural } from '../../state/format.ts';
import { Figure } from '../../ui/Figure.tsx';
import { Table } from '../../ui/Table.tsx';
import { Section } from '../../ui/Page.tsx';

type Month = Usage['monthly_totals'][number];

const MEASURES = [
  { field: 'requests', label: 'Requests' },
  { field: 'cells_written', label: 'Cells written' },
  { field: 'runs', label: 'Runs' },
] as const;

export function usageSentence(months: readonly Month[]): string {
  const sum = (field: (typeof MEASURES)[number]['field']) =>
    months.reduce((total, month) => total + month[field], 0);
  return (
    `Over ${plural(months.length, 'month')}: ${plural(sum('requests'), 'request')}, ` +
    `${plural(sum('cells_written'), 'cell')} written and ${plural(sum('runs'), 'run')}.`
  );
}

export function UsageChart({ months }: { months: readonly Month[] }) {
  if (months.length === 0)
    return (
      <Section title="Usage by month">
        <p className="muted">Nothing has been counted yet.</p>
      </Section>
    );
  const ordered = months.toSorted((a, b) => b.month.localeCompare(a.month));
  const head = (
    <tr>
      <th scope="col">Month</th>
      {MEASURES.map((measure) => (
        <th key={measure.field} scope="col" className="n">
          {measure.label}
        </th>
      ))}
    </tr>
  );
  return (
    <Figure
      title="Usage by month"
      sentence={usageSentence(months)}
      picture={<Bars months={ordered} />}
      table={
        <Table caption="Usage by month" head={head} dense>
          {ordered.map((month) => (
            <tr key={month.month}>
              <th scope="row" className="num">
                {month.month}
              </th>
              {MEASURES.map((measure) => (
                <td key={measure.field} className="n">
                  {formatCount(month[measure.field])}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      }
    />
  );
}

/** Each measure on its own scale: the bars compare months, not measures. */
function Bars({ months }: { months: readonly Month[] }) {
  return (
    <div className="panel usage">
      {MEASURES.map((measure) => {
        const most = Math.max(1, ...months.map((month) => month[measure.field]));
        return (
          <div key={measure.field} className="usage-measure">
            <h3>{measure.label}</h3>
            {months.map((month) => (
              <div key={month.month} className="usage-row">
                <span className="num muted">{month.month}</span>
                <svg
                  viewBox="0 0 100 10"
                  preserveAspectRatio="none"
                  aria-hidden="true"
                  className="usage-bar"
                >
                  <rect x="0" y="0" height="10" width={(100 * month[measure.field]) / most} />
                </svg>
                <span className="num">{formatCount(month[measure.field])}</span>
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
}
