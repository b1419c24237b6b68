import type { ColDef, ICellRendererParams } from 'ag-grid-community';
import { Link } from 'react-router';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatPercent, formatShare } from '../../state/format.ts';
import { INTERVAL_COLUMN, IntervalAxis, IntervalBar } from './Interval.tsx';
import { itemPath } from './item/item-path.ts';
import type { ItemResultRow } from '../../../shared/domain/item-lines.ts';
import { t } from '../../text/t.ts';

/** Ids of the columns that the table is ordered by from outside. */
export const MEAN = 'mean';
export const CASE_ORDER = 'case-order';

function ItemCell({ data, runUid }: ICellRendererParams<ItemResultRow> & { runUid: string }) {
  if (data === undefined) return null;
  const named = data.label !== '' && data.label !== data.item_uid;
  return (
    <span className="item-cell" title={named ? `${data.label} (${data.item_uid})` : data.item_uid}>
      <Link className="item-label" to={itemPath(runUid, data.item_uid)} tabIndex={-1}>
        {named ? data.label : data.item_uid}
      </Link>
      {named && <code>{data.item_uid}</code>}
    </span>
  );
}

const number = (
  headerName: string,
  value: (line: ItemResultRow) => number,
  text: (value: number) => string,
  width: number,
): ColDef<ItemResultRow> => ({
  headerName,
  width,
  type: 'rightAligned',
  cellClass: ['num', 'ag-right-aligned-cell'],
  valueGetter: ({ data }) => (data === undefined ? null : value(data)),
  valueFormatter: (params) => (params.value === null ? '' : text(params.value as number)),
});

const share = (headerName: string, value: (line: ItemResultRow) => number): ColDef<ItemResultRow> =>
  number(headerName, value, (text) => formatShare(text, 3), 70);

function intervalColumn({
  mean_theta,
  ci_level,
}: RunRecord['result']['global']): ColDef<ItemResultRow> {
  const headerName = t('{level} credible interval', { level: formatPercent(ci_level) });
  return {
    headerName,
    colId: 'interval',
    width: INTERVAL_COLUMN,
    sortable: false,
    headerComponent: IntervalAxis,
    headerComponentParams: { label: headerName },
    cellRenderer: ({ data }: ICellRendererParams<ItemResultRow>) =>
      data === undefined ? null : <IntervalBar line={data} reference={mean_theta} />,
  };
}

/** An item, its interval drawn, and its numbers. */
export const columnsFor = (run: RunRecord): ColDef<ItemResultRow>[] => [
  {
    headerName: t('Item'),
    flex: 1,
    minWidth: 208,
    cellRenderer: ItemCell,
    cellRendererParams: { runUid: run.run_uid },
    valueGetter: ({ data }) => (data === undefined ? '' : data.label || data.item_uid),
  },
  intervalColumn(run.result.global),
  { ...share(t('Mean'), (line) => line.theta_mean), colId: MEAN, initialSort: 'desc', width: 80 },
  share(t('Lower'), (line) => line.theta_lower),
  share(t('Upper'), (line) => line.theta_upper),
  number(
    t('Percentile'),
    (line) => line.percentile,
    (value) => formatShare(value, 1),
    88,
  ),
  {
    ...number(t('Met'), (line) => line.k, formatCount, 86),
    valueFormatter: ({ data }) =>
      data === undefined ? '' : t('{k} of {m}', { k: data.k, m: data.m }),
  },
  number(t('Problem found'), (line) => line.counts[1], formatCount, 82),
  number(t('Not available'), (line) => line.counts[2], formatCount, 94),
  number(t('Not recorded'), (line) => line.counts[3], formatCount, 86),
  {
    ...number(t('Case order'), (line) => line.place, formatCount, 96),
    colId: CASE_ORDER,
    hide: true,
  },
];
