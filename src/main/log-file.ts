import { mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import pino, { type DestinationStream } from 'pino';

const MAX_BYTES = 5 * 1024 * 1024;

/**
 * The log of the desktop, in the data folder: the current file and the one before it. Standard
 * error where the folder takes no writes.
 */
export function openLog(dataFolder: string): DestinationStream {
  const file = path.join(dataFolder, 'logs', 'desktop.log');
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES)
      renameSync(file, `${file}.1`);
    return pino.destination({ dest: file, sync: true, mode: 0o600 });
  } catch {
    return pino.destination({ dest: 2, sync: true });
  }
}
