import { agGrid, DENSE } from './ag-grid.ts';
import { makeRows, type Peer, type Row } from './peer.ts';
import { revoGrid } from './revogrid.ts';

/** By the name in `?grid=`. */
const GRIDS: Record<string, (host: HTMLElement, rows: Row[]) => Peer | Promise<Peer>> = {
  'ag-grid': (host, rows) => agGrid(host, rows),
  'ag-grid, as dense': (host, rows) => agGrid(host, rows, DENSE),
  revogrid: revoGrid,
};

/** `?grid=&items=`: the grid is at `window.peer` when it has been asked to draw. */
const query = new URLSearchParams(location.search);
const host = document.getElementById('grid')!;
const rows = makeRows(Number(query.get('items')));
performance.mark('mount');
Object.assign(window, { peer: await GRIDS[query.get('grid') ?? '']?.(host, rows) });
