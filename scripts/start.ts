/**
 * `npm start`: the desktop window; the same studio for a browser where no window can open, or with
 * `-- --browser`.
 */
import { spawn } from 'node:child_process';
import { loadProgram } from '../bin/load.js';
import { buildIfNeeded, ROOT } from './build.ts';
import { findRuntime } from './desktop-runtime.ts';

/** A window that ends with an error this soon after its start never opened. Milliseconds. */
const NEVER_OPENED = 10_000;
const PARENT_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function browserForm(reason: string | undefined): Promise<void> {
  if (reason !== undefined)
    console.log(`No desktop window: ${reason}. Serving the studio for a browser.`);
  const { main } = await loadProgram('evidence-studio');
  await main(['serve', '--open']);
}

/** Resolves once the window is closed; with a clause that says why, if no window opened. */
async function openWindow(
  executable: string,
  args: readonly string[],
  stop: AbortSignal,
): Promise<string | undefined> {
  const began = performance.now();
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const child = spawn(executable, [...args, ROOT], { stdio: 'inherit', env });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', resolve);
  });
  if (stop.aborted || code === 0) return undefined;
  if (performance.now() - began < NEVER_OPENED)
    return `Electron ended ${code === null ? `by ${child.signalCode}` : `with code ${code}`} before a window opened`;
  process.exitCode = code ?? 1;
  return undefined;
}

async function start(args: readonly string[], stop: AbortSignal): Promise<void> {
  await buildIfNeeded(stop);
  if (stop.aborted) return;
  if (args.includes('--browser')) return browserForm(undefined);
  const runtime = await findRuntime(stop);
  if (stop.aborted) return;
  const failed =
    'missing' in runtime ? runtime.missing : await openWindow(runtime.executable, args, stop);
  if (failed !== undefined) await browserForm(failed);
}

// The terminal shows only what a person needs; the rest is in the log in the data folder.
process.env.LOG_LEVEL ??= 'warn';
const stop = new AbortController();
// `once`: a second signal ends this process whatever it waits for.
for (const signal of SIGNALS) process.once(signal, () => stop.abort());
// npm and its shell do not pass on a signal that ends `npm start`, so their end is taken as the
// signal.
const parent = process.ppid;
if (process.env.npm_lifecycle_event === 'start')
  setInterval(
    () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'),
    PARENT_MS,
  ).unref();
try {
  await start(process.argv.slice(2), stop.signal);
} catch (error) {
  console.error(
    `Evidence Studio did not start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
