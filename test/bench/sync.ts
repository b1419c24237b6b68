import type { Figure } from './figure.ts';
import { hubRows } from './sync/hub-rows.ts';
import { watchIdle } from './sync/idle-rows.ts';
import { runRows } from './sync/run-rows.ts';
import { serverRows } from './sync/server-rows.ts';
import { studioRows } from './sync/studio-rows.ts';
import { windowRows } from './sync/window-rows.ts';

/**
 * Replication against its targets (docs/decisions/0028), on this machine; where a line is slow, a
 * wire between the processes makes it so.
 */
export async function syncBench(): Promise<Figure[]> {
  const idle = await watchIdle();
  const parts = [hubRows, windowRows, studioRows, serverRows, runRows];
  const figures: Figure[] = [];
  for (const part of parts) figures.push(...(await part()));
  return [...figures, ...(await idle())];
}
