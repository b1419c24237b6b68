/** `npm start`: the desktop window; the same studio for a browser where no window can open, or with `-- --browser`. */
import { spawn } from 'node:child_process';
import { main } from '../src/server/bin.ts';
import { buildIfNeeded, ROOT } from './build.ts';
import { findRuntime } from './desktop-runtime.ts';

/** A window that is gone this soon after its start with an error never opened. Milliseconds. */
const NEVER_OPENED = 10_000;

async function browserForm(reason: string | undefined): Promise<void> {
  if (reason !== undefined) console.log(`No desktop window: ${reason}. Serving the studio for a browser.`);
  await main(['serve', '--open']);
}

async function openWindow(executable: string, args: readonly string[]): Promise<string | undefined> {
  const began = performance.now();
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const child = spawn(executable, [...args, ROOT], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', resolve);
  });
  if (code !== 0 && code !== null && performance.now() - began < NEVER_OPENED) return `Electron ended with code ${code} before a window opened`;
  process.exitCode = code ?? 1;
  return undefined;
}

const args = process.argv.slice(2);
await buildIfNeeded();
if (args.includes('--browser')) await browserForm(undefined);
else {
  const runtime = await findRuntime();
  const failed = 'missing' in runtime ? runtime.missing : await openWindow(runtime.executable, args);
  if (failed !== undefined) await browserForm(failed);
}
