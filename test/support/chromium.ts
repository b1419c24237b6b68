/** The browser of the end-to-end tests: one of the machine's own, never a download. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** As root Chromium has no sandbox to start; the others keep it quiet and off the network. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installDebianChromium(): boolean {
  if (process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) return false;
  console.error('Installing Debian’s chromium for the browser tests …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore', timeout: 300_000 });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env, stdio: 'ignore', timeout: 600_000 });
    return true;
  } catch {
    return false;
  }
}

/** The executable: CHROMIUM_PATH, else an installed Chromium or Chrome, else Debian's, installed now (as root, where there is apt-get). */
export function findChromium(): string {
  const wanted = process.env.CHROMIUM_PATH;
  if (wanted !== undefined && wanted !== '') {
    if (isExecutable(wanted)) return wanted;
    throw new Error(`CHROMIUM_PATH names no program: ${wanted}`);
  }
  const installed = PLACES.find(isExecutable) ?? (installDebianChromium() ? PLACES.find(isExecutable) : undefined);
  if (installed === undefined) throw new Error('The browser tests need Chromium or Chrome: install it, or name it in CHROMIUM_PATH.');
  return installed;
}
