import type { Usage } from '../../../shared/contract/v1/account.ts';
import { formatCount } from '../../state/format.ts';
import { Figure } from '../../ui/Figure.tsx';
import { Table } from '../../ui/Table.tsx';
import { Section } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';

type Month = Usage['monthly_totals'][number];

const MEASURES = [
  { field: 'requests', label: t('Requests') },
  { field: 'cells_written', label: t('Cells written') },
  { field: 'runs', label: t('Runs') },
] as const;

export function usageSentence(months: readonly Month[]): string {
  const sum = (field: (typeof MEASURES)[number]['field']) =>
    months.reduce((total, month) => total + month[field], 0);
  return t(
    'Over {months, plural, one {# month} other {# months}}: {requests, plural, one {# request} other {# requests}}, {cells, plural, one {# cell} other {# cells}} written and {runs, plural, one {# run} other {# runs}}.',
    {
      months: months.length,
      requests: sum('requests'),
      cells: sum('cells_written'),
      runs: sum('runs'),
    },
  );
}

export function UsageChart({ months }: { months: readonly Month[] }) {
  if (months.length === 0)
    return (
      <Section title={t('Usage by month')}>
        <p className="muted">{t('Nothing has been counted yet.')}</p>
      </Section>
    );
  const ordered = months.toSorted((a, b) => b.month.localeCompare(a.month));
  const head = (
    <tr>
      <th scope="col">{t('Month')}</th>
      {MEASURES.map((measure) => (
        <th key={measure.field} scope="col" className="n">
          {measure.label}
        </th>
      ))}
    </tr>
  );
  return (
    <Figure
      title={t('Usage by month')}
      sentence={usageSentence(months)}
      picture={<Bars months={ordered} />}
      table={
        <Table caption={t('Usage by month')} head={head} dense>
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
