import { agGrid } from './ag-grid.ts';
import { makeRows } from './peer.ts';
import { revoGrid } from './revogrid.ts';

/** `?grid=ag-grid|revogrid&items=`: the grid is at `window.peer` when it has been asked to draw. */
const query = new URLSearchParams(location.search);
const host = document.getElementById('grid')!;
const rows = makeRows(Number(query.get('items')));
performance.mark('mount');
Object.assign(window, {
  peer: query.get('grid') === 'revogrid' ? await revoGrid(host, rows) : agGrid(host, rows),
});
