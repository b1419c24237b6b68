/**
 * Programs that the tests need and never download by themselves: the machine's own, else Debian's,
 * installed now (as root, where there is apt-get).
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installFromDebian(name: string): void {
  if (process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) return;
  console.error(`Installing Debian’s ${name} for the tests …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Files of tests run side by side, and apt-get gives up where another one is at work.
  const aptGet = (timeout: number, ...args: string[]): unknown =>
    execFileSync('flock', [path.join(tmpdir(), 'evidence-apt.lock'), 'apt-get', '-qq', ...args], {
      env,
      stdio: 'ignore',
      timeout,
    });
  try {
    aptGet(900_000, 'update');
    aptGet(900_000, 'install', '-y', '--no-install-recommends', name);
  } catch {
    // The tests say that it is missing.
  }
}

/**
 * The executable: what the variable names, else one of these places, else the package of Debian.
 * Undefined where there is none.
 */
export function findProgram({
  variable,
  places,
  debian,
}: {
  variable: string;
  places: () => readonly string[];
  debian: string;
}): string | undefined {
  const wanted = process.env[variable];
  if (wanted !== undefined && wanted !== '') {
    if (isExecutable(wanted)) return wanted;
    throw new Error(`${variable} names no program: ${wanted}`);
  }
  const installed = places().find(isExecutable);
  if (installed !== undefined) return installed;
  installFromDebian(debian);
  return places().find(isExecutable);
}
