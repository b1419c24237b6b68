import type { AppLike, Preventable } from './electron-like.ts';

/**
 * Most time for quitting, ms. The server gives running requests five seconds of it; the rest is for
 * the store.
 */
const GRACE_MS = 8_000;

/**
 * Delays quitting until the server has ended its requests and the store is closed, but not for
 * ever.
 */
export function shutDownBeforeQuit(
  app: Pick<AppLike, 'on' | 'exit'>,
  close: () => Promise<void>,
  onLate: () => void,
): void {
  let closing = false;
  app.on('before-quit', (event: Preventable) => {
    event.preventDefault();
    if (closing) return;
    closing = true;
    const late = setTimeout(() => {
      onLate();
      app.exit(1);
    }, GRACE_MS);
    close().then(
      () => {
        clearTimeout(late);
        app.exit(0);
      },
      () => app.exit(1),
    );
  });
}

/**
 * After an unexpected error nothing more is written: it is noted in the log and the process ends at
 * once. Whatever was answered as stored is on disk.
 */
export function dieOnUnforeseen(
  process: Pick<NodeJS.Process, 'on'>,
  app: Pick<AppLike, 'exit'>,
  log: (error: unknown) => void,
): void {
  for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(name, (error: unknown) => {
      try {
        log(error);
      } finally {
        app.exit(1);
      }
    });
  }
}
