import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../../server/instance/atomic-file.ts';
import { RELEASE } from './release.ts';

/**
 * Starts what was installed and waits for its mark. A program that fails before it has shown a
 * page, or shows none for so long, is replaced by the one before, which then starts. It depends on
 * neither of the two: a shell of the system runs it.
 */
const WATCH = `
while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
( "$2" & echo "$!" >"$4/pid"; wait "$!"; echo "$?" >"$4/exit" ) &
waited=0
while [ "$waited" -lt "$6" ]; do
  if [ -e "$4/started" ]; then rm -f "$3" "$4/pid" "$4/exit" "$4/started"; exit 0; fi
  if [ -e "$4/exit" ]; then break; fi
  sleep 0.2
  waited=$((waited + 1))
done
if [ "$(cat "$4/exit" 2>/dev/null)" = 0 ]; then exit 0; fi
if [ ! -e "$4/exit" ]; then kill -9 "$(cat "$4/pid")" 2>/dev/null; fi
mv -f "$3" "$2" || exit 1
printf %s "$5" >"$4/failed"
rm -f "$4/installing" "$4/pid" "$4/exit"
exec "$2"
`;
/** Ten minutes: a large database may be upgraded in the first start. */
const MOST_TIMES = 3_000;

const folderOf = (dataFolder: string): string => path.join(dataFolder, 'updates');

export interface Replacing {
  /** The program's own file, as an AppImage is one. */
  program: string;
  /** The new program, checked, anywhere. */
  file: string;
  version: string;
  dataFolder: string;
  /** How often the mark is looked for, five times a second. */
  times?: number;
}

/**
 * Puts a program in the place of another in one step and keeps that beside it. Once this process
 * has ended, the new one is started; if it does not start, the one before is put back.
 */
export function replaceProgram({ program, file, version, dataFolder, times }: Replacing): void {
  const folder = folderOf(dataFolder);
  const [fresh, previous] = [`${program}.new`, `${program}.previous`];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['started', 'failed', 'pid', 'exit'])
    rmSync(path.join(folder, name), { force: true });
  for (const left of [fresh, previous]) rmSync(left, { force: true });
  copyFileSync(file, fresh);
  try {
    linkSync(program, previous);
  } catch {
    copyFileSync(program, previous);
  }
  replaceFile(path.join(folder, 'installing'), version);
  renameSync(fresh, program);
  const { APPIMAGE: _, APPDIR: __, ARGV0: ___, OWD: ____, ...env } = process.env;
  const words = [String(process.pid), program, previous, folder, version];
  spawn('/bin/sh', ['-c', WATCH, 'sh', ...words, String(times ?? MOST_TIMES)], {
    cwd: '/',
    env,
    detached: true,
    stdio: 'ignore',
  }).unref();
}

/** Says that this version has started, where it is the first start after an update. */
export function markStarted(dataFolder: string): void {
  const folder = folderOf(dataFolder);
  const installing = path.join(folder, 'installing');
  if (!existsSync(installing)) return;
  replaceFile(path.join(folder, 'started'), '');
  rmSync(installing, { force: true });
}

/** The version that was put back from since the last start, once. */
export function takeFailed(dataFolder: string): string | undefined {
  const file = path.join(folderOf(dataFolder), 'failed');
  try {
    const version = readFileSync(file, 'utf8');
    rmSync(file);
    return RELEASE.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
