import type { ElectronLike, WindowLike } from './electron-like.ts';
import { say } from './say.ts';

/** After this many crashes in a row the page is no longer reloaded by itself. */
const MANY = 3;
const SOON_MS = 60_000;

export interface CrashPorts {
  dialog: ElectronLike['dialog'];
  /** Milliseconds that only grow, whatever becomes of the wall clock. */
  elapsed(): number;
  log(message: string, facts: Record<string, unknown>): void;
  quit(): void;
}

/**
 * Reloads a page that crashed: its edits are in its outbox. What to do with one that keeps
 * crashing, or hangs, is the person's decision.
 */
export function watchPage(window: WindowLike, ports: CrashPorts): void {
  const { webContents } = window;
  const crashes: number[] = [];
  webContents.on(
    'render-process-gone',
    (_event: unknown, { reason, exitCode }: { reason: string; exitCode: number }) => {
      if (reason === 'clean-exit' || window.isDestroyed()) return;
      ports.log('the page is gone', { reason, exit_code: exitCode });
      const now = ports.elapsed();
      crashes.push(now);
      if (crashes.filter((at) => now - at < SOON_MS).length < MANY) webContents.reload();
      else
        void ask(window, ports, 'The page has stopped several times.', ['Load It Again', 'Quit']);
    },
  );
  let asking = false;
  window.on('unresponsive', () => {
    if (asking) return;
    asking = true;
    ports.log('the page does not answer', {});
    void ask(window, ports, 'The page does not answer.', ['Wait', 'Load It Again', 'Quit']).finally(
      () => (asking = false),
    );
  });
}

async function ask(
  window: WindowLike,
  { dialog, quit }: CrashPorts,
  message: string,
  buttons: readonly ('Load It Again' | 'Quit' | 'Wait')[],
): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: say(message),
    detail: say('What you recorded is stored.'),
    buttons: buttons.map((button) => say(button)),
    defaultId: 0,
    cancelId: 0,
  });
  if (buttons[response] === 'Load It Again' && !window.isDestroyed()) window.webContents.reload();
  if (buttons[response] === 'Quit') quit();
}
