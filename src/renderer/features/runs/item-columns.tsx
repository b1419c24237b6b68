import type { ColDef, ICellRendererParams } from 'ag-grid-community';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatPercent, formatShare } from '../../state/format.ts';
import { INTERVAL_COLUMN, IntervalAxis, IntervalBar } from './Interval.tsx';
import type { ItemResultRow } from './record.ts';

function ItemCell({ data }: ICellRendererParams<ItemResultRow>) {
  if (data === undefined) return null;
  const named = data.label !== '' && data.label !== data.item_uid;
  return (
    <span className="item-cell">
      {named && <span className="item-label">{data.label}</span>}
      <code>{data.item_uid}</code>
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
  number(headerName, value, (text) => formatShare(text, 3), 72);

function intervalColumn({
  mean_theta,
  ci_level,
}: RunRecord['result']['global']): ColDef<ItemResultRow> {
  const headerName = `${formatPercent(ci_level)} credible interval`;
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
    headerName: 'Item',
    flex: 1,
    minWidth: 160,
    cellRenderer: ItemCell,
    valueGetter: ({ data }) => (data === undefined ? '' : data.label || data.item_uid),
  },
  intervalColumn(run.result.global),
  share('Mean', (line) => line.theta_mean),
  share('Lower', (line) => line.theta_lower),
  share('Upper', (line) => line.theta_upper),
  number(
    'Percentile',
    (line) => line.percentile,
    (value) => value.toFixed(1),
    96,
  ),
  number('Met', (line) => line.k, formatCount, 64),
  number('Rules', (line) => line.m, formatCount, 72),
  number('Problem found', (line) => line.counts[1], formatCount, 122),
  number('Not available', (line) => line.counts[2], formatCount, 112),
  number('Not recorded', (line) => line.counts[3], formatCount, 112),
];
