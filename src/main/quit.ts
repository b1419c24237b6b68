import type { AppLike } from './electron-like.ts';

/** Requests get five seconds of this from the server; the rest is for the store. */
const DRAIN_MS = 8_000;

interface Preventable {
  preventDefault(): void;
}

/** Quitting waits until the server has ended its requests and the store is closed; but not for ever. */
export function drainBeforeQuit(app: Pick<AppLike, 'on' | 'exit'>, close: () => Promise<void>, onLate: () => void): void {
  let draining = false;
  app.on('before-quit', (event: Preventable) => {
    event.preventDefault();
    if (draining) return;
    draining = true;
    const late = setTimeout(() => {
      onLate();
      app.exit(1);
    }, DRAIN_MS);
    close().then(
      () => {
        clearTimeout(late);
        app.exit(0);
      },
      () => app.exit(1),
    );
  });
}

/** After an error nobody foresaw nothing more is written: say so in the log, end at once. What was answered as stored is on disk. */
export function dieOnUnforeseen(process: Pick<NodeJS.Process, 'on'>, app: Pick<AppLike, 'exit'>, log: (error: unknown) => void): void {
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
