import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './build.ts';

const PACKAGE = path.join(ROOT, 'node_modules/electron');
/** Longest wait for the first answer of the download's host, and longest download. Milliseconds. */
const ANSWER_WITHIN = 8_000;
const DOWNLOAD_WITHIN = 15 * 60_000;

export type Runtime = { executable: string } | { missing: string };

function installed(): string | undefined {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH || undefined;
  const name = existsSync(path.join(PACKAGE, 'path.txt'))
    ? readFileSync(path.join(PACKAGE, 'path.txt'), 'utf8')
    : 'electron';
  const file = path.join(override ?? path.join(PACKAGE, 'dist'), name);
  return existsSync(file) ? file : undefined;
}

/** Why no window can open on this machine, or undefined. */
function noWindow(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display';
  if (process.getuid?.() === 0 && !process.argv.includes('--no-sandbox'))
    return "Electron's sandbox does not run as root";
  return undefined;
}

async function reachable(stop: AbortSignal): Promise<boolean> {
  const mirror = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/';
  return fetch(mirror, {
    method: 'HEAD',
    signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN)]),
  }).then(
    () => true,
    () => false,
  );
}

async function download(stop: AbortSignal): Promise<boolean> {
  console.log('Downloading the Electron runtime (about 120 MB, once) …');
  const installer = spawn(process.execPath, [path.join(PACKAGE, 'install.js')], {
    stdio: 'ignore',
    timeout: DOWNLOAD_WITHIN,
    signal: stop,
  });
  const code = await new Promise((resolve) => {
    installer.on('error', () => resolve(1));
    installer.on('close', resolve);
  });
  return code === 0;
}

/** The Electron executable, downloaded if necessary; or why there is none, in one clause. */
export async function findRuntime(stop: AbortSignal): Promise<Runtime> {
  const reason = noWindow();
  if (reason !== undefined) return { missing: reason };
  const here = installed();
  if (here !== undefined) return { executable: here };
  if (!(await reachable(stop)) || !(await download(stop)))
    return { missing: 'the Electron runtime cannot be downloaded' };
  const downloaded = installed();
  return downloaded === undefined
    ? { missing: 'the Electron runtime cannot be installed' }
    : { executable: downloaded };
}
