import type { Figure } from './figure.ts';
import { serverRows } from './sync/server-rows.ts';
import { windowRows } from './sync/window-rows.ts';

/** Replication against its targets (docs/decisions/0028). Everything is on this machine; where a line is slow, a wire makes it so. */
export async function syncBench(): Promise<Figure[]> {
  return [...(await serverRows()), ...(await windowRows())];
}
