import { mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import pino, { type DestinationStream } from 'pino';

const MAX_BYTES = 5 * 1024 * 1024;

/**
 * The log of the desktop, in the data folder: the current file and the one before it, each of at
 * most five megabytes and a line. Standard error where the folder takes no writes.
 */
export function openLog(dataFolder: string, maxBytes = MAX_BYTES): DestinationStream {
  const file = path.join(dataFolder, 'logs', 'desktop.log');
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const current = pino.destination({ dest: file, sync: true, mode: 0o600 });
    const startAnew = (): void => {
      size = 0;
      try {
        renameSync(file, `${file}.1`);
        current.reopen();
      } catch {
        // Not possible now, as where another program holds the file on Windows: tried again later.
      }
    };
    return {
      write(line: string): void {
        if (size > maxBytes) startAnew();
        size += Buffer.byteLength(line);
        current.write(line);
      },
    };
  } catch {
    return pino.destination({ dest: 2, sync: true });
  }
}
