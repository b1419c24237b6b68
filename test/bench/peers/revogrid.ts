import { defineCustomElements } from '@revolist/revogrid/loader';
import { type Peer, type Row, RULES, ruleOf } from './peer.ts';

/** RevoGrid with ranges, sort and filter switched on. */
export async function revoGrid(host: HTMLElement, rows: Row[]): Promise<Peer> {
  defineCustomElements();
  const grid = document.createElement('revo-grid');
  grid.columns = [
    { prop: 'item', name: 'Item', pin: 'colPinStart', size: 140 },
    ...Array.from({ length: RULES }, (_, rule) => ({
      prop: ruleOf(rule),
      name: ruleOf(rule),
      size: 68,
      sortable: true,
      filter: 'string',
    })),
  ];
  grid.source = rows;
  grid.range = true;
  grid.filter = true;
  host.append(grid);
  await customElements.whenDefined('revo-grid');
  return {
    shown: (row, rule) => {
      const at = host.querySelector(
        `revogr-viewport-scroll.rgCol revogr-data .rgRow[data-rgrow="${row}"] .rgCell[data-rgcol="${rule}"]`,
      );
      return at?.textContent ?? null;
    },
    scroller: () => host.querySelector('revogr-viewport-scroll.rgCol .vertical-inner')!,
    focus: (row, rule) => grid.setCellsFocus({ x: rule, y: row }, { x: rule, y: row }),
    set: async (count, value) => {
      for (const row of rows.slice(0, count))
        for (let rule = 0; rule < RULES; rule += 1) row[ruleOf(rule)] = value;
      await grid.refresh('all');
    },
    paste: async (text) => {
      const clipboard = new DataTransfer();
      clipboard.setData('text/plain', text);
      document.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }),
      );
    },
    sort: (rule) => grid.updateColumnSorting({ prop: ruleOf(rule) }, 'asc', false),
    unsort: () => grid.clearSorting(),
    filter: async (rule, value) => {
      grid.filter = { multiFilterItems: { [ruleOf(rule)]: [{ id: 1, type: 'eq', value }] } };
    },
  };
}
