import {
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  LocaleModule,
  RowSelectionModule,
  themeQuartz,
  type CellKeyDownEvent,
  type ColDef,
  type FullWidthCellKeyDownEvent,
  type RowSelectionOptions,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useId, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { RunRecord } from '../../../shared/domain/run.ts';

import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CASE_ORDER, columnsFor, MEAN } from './item-columns.tsx';
import { itemPath } from './item/item-path.ts';
import type { ItemResultRow } from '../../../shared/domain/item-lines.ts';
import { itemsSentence } from './sentences.ts';
import { t, tAs } from '../../text/t.ts';

const MODULES = [
  ClientSideRowModelModule,
  CellStyleModule,
  ColumnApiModule,
  LocaleModule,
  RowSelectionModule,
];
/** What the grid says by itself, most of it for screen readers. */
const TEXT = {
  noRowsToShow: t('No item passes the filter.'),
  ariaSortableColumn: t('Press ENTER to sort'),
  ariaRowSelect: t('Press SPACE to select this row'),
  ariaRowDeselect: t('Press SPACE to deselect this row'),
  ariaRowToggleSelection: t('Press Space to toggle row selection'),
  ariaChecked: tAs('box', 'checked'),
  ariaUnchecked: tAs('box', 'unchecked'),
};
const ROW = 26;
const HEADER = 34;
const MAX_ROWS_SHOWN = 20;

const theme = themeQuartz.withParams({
  accentColor: 'var(--accent)',
  backgroundColor: 'var(--surface)',
  foregroundColor: 'var(--text)',
  borderColor: 'var(--border)',
  browserColorScheme: 'inherit',
  headerBackgroundColor: 'var(--surface-2)',
  headerTextColor: 'var(--text-muted)',
  headerFontWeight: 600,
  headerFontSize: 'var(--text-xs)',
  dataFontSize: 'var(--text-sm)',
  fontFamily: 'var(--font)',
  oddRowBackgroundColor: 'var(--surface)',
  rowHoverColor: 'var(--surface-2)',
  wrapperBorderRadius: 'var(--radius-lg)',
  headerColumnResizeHandleColor: 'transparent',
  spacing: 5,
  cellHorizontalPadding: 10,
});

interface ItemsTableProps {
  run: RunRecord;
  lines: readonly ItemResultRow[];
  /** Items were chosen for the figures. */
  onChosen: (uids: ReadonlySet<string>) => void;
}

/**
 * Every item with its numbers and its interval drawn: the picture and the table are one. Only the
 * rows in view are drawn. A row opens its item.
 */
export function ItemsTable({ run, lines, onChosen }: ItemsTableProps) {
  const { cspNonce } = useServices();
  const navigate = useNavigate();
  const grid = useRef<AgGridReact<ItemResultRow>>(null);
  const order = (colId: string, sort: 'asc' | 'desc') =>
    grid.current?.api.applyColumnState({
      state: [{ colId, sort }],
      defaultState: { sort: null },
    });
  const openByKey = ({
    data,
    event,
  }: CellKeyDownEvent<ItemResultRow> | FullWidthCellKeyDownEvent<ItemResultRow>) => {
    if (data !== undefined && event instanceof KeyboardEvent && event.key === 'Enter')
      void navigate(itemPath(run.run_uid, data.item_uid));
  };
  const [filter, setFilter] = useState('');
  const id = useId();
  const columns = useMemo(() => columnsFor(run), [run]);
  const shown = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    return wanted === ''
      ? [...lines]
      : lines.filter(
          (line) =>
            line.item_uid.toLowerCase().includes(wanted) ||
            line.label.toLowerCase().includes(wanted),
        );
  }, [lines, filter]);
  const isShort = shown.length <= MAX_ROWS_SHOWN;
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{t('Items')}</h2>
        <div className="actions">
          <span className="muted small" role="status">
            {t('{shown, number} of {all, number} shown', {
              shown: shown.length,
              all: lines.length,
            })}
          </span>
          <input
            type="search"
            className="input filter-input"
            aria-label={t('Filter items by label or ID')}
            placeholder={t('Filter items')}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
      </div>
      <p className="section-note">
        {itemsSentence(run.result.global)}{' '}
        {t(
          'A click on a heading sorts; the name of an item, or Enter, opens it. The items that are ticked are those of the figures.',
        )}
      </p>
      <div className="actions" role="group" aria-label={t('Order of the items')}>
        <Button size="sm" onClick={() => order(MEAN, 'desc')}>
          {t('By mean')}
        </Button>
        <Button size="sm" onClick={() => order(CASE_ORDER, 'asc')}>
          {t('Case order')}
        </Button>
      </div>
      <div style={isShort ? undefined : TALL}>
        <AgGridReact<ItemResultRow>
          ref={grid}
          modules={MODULES}
          theme={theme}
          {...(cspNonce === undefined ? {} : { styleNonce: cspNonce })}
          containerStyle={isShort ? undefined : FULL}
          domLayout={isShort ? 'autoHeight' : 'normal'}
          rowData={shown}
          columnDefs={columns}
          defaultColDef={DEFAULT_COLUMN}
          rowHeight={ROW}
          headerHeight={HEADER}
          getRowId={({ data }) => data.item_uid}
          rowBuffer={4}
          localeText={TEXT}
          rowSelection={SELECTION}
          selectionColumnDef={SELECTION_COLUMN}
          onSelectionChanged={({ api }) =>
            onChosen(new Set(api.getSelectedRows().map((line) => line.item_uid)))
          }
          onCellKeyDown={openByKey}
          animateRows={false}
          ensureDomOrder
        />
      </div>
    </section>
  );
}

const TALL = { height: HEADER + 2 + ROW * MAX_ROWS_SHOWN } as const;
const FULL = { height: '100%', width: '100%' } as const;
const DEFAULT_COLUMN: ColDef<ItemResultRow> = {
  sortable: true,
  resizable: true,
  suppressMovable: true,
  suppressHeaderMenuButton: true,
  sortingOrder: ['asc', 'desc'],
  wrapHeaderText: true,
};
const SELECTION: RowSelectionOptions<ItemResultRow> = {
  mode: 'multiRow',
  headerCheckbox: false,
  enableClickSelection: false,
};
/** At the end: a row is read out by its item first. */
const SELECTION_COLUMN = {
  width: 78,
  lockPosition: 'right',
  sortable: false,
  resizable: false,
  headerComponent: () => <span className="items-chosen">{t('In figures')}</span>,
} as const;
