/** An ordinary user of the installed package, at a display of their own. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const NAME = 'ada';
export const HOME = `/home/${NAME}`;
export const DATA = path.join(HOME, '.local/share/evidence-studio');
export const STUDIO = '/usr/bin/evidence-studio';
const AS_PERSON = ['--reuid', NAME, '--regid', NAME, '--clear-groups', '--no-new-privs=0'];
const DISPLAY = ':97';

const environment = (extra: Record<string, string> = {}): Record<string, string> => ({
  HOME,
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  USER: NAME,
  ...extra,
});

export async function until<T>(
  what: string | (() => string),
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = 30_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    assert(
      performance.now() < end,
      `not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`,
    );
    await delay(25);
  }
}

const argsFor = (args: readonly string[]): string[] => [
  ...AS_PERSON.filter((word) => !word.startsWith('--no-new-privs')),
  ...args,
];

/** A command of the person, to its end. */
export function say(
  args: readonly string[],
  env: Record<string, string> = {},
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('setpriv', argsFor(args), {
    encoding: 'utf8',
    cwd: HOME,
    env: environment(env),
    timeout: 60_000,
  });
  return { code: status, stdout, stderr };
}

export async function startDisplay(): Promise<ChildProcess> {
  const display = spawn('Xvfb', [DISPLAY, '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: 'ignore',
  });
  await until('a display', () => existsSync(`/tmp/.X11-unix/X${DISPLAY.slice(1)}`) || undefined);
  return display;
}

function xdotool(...args: string[]): string {
  const { stdout } = spawnSync('xdotool', args, {
    encoding: 'utf8',
    env: environment({ DISPLAY }),
    timeout: 5_000,
  });
  return stdout.trim();
}

/** Windows of a process that can be seen, newest last. */
export const windowsOf = (pid: number): string[] =>
  xdotool('search', '--onlyvisible', '--pid', String(pid))
    .split('\n')
    .filter((line) => line !== '');

/** Presses keys as a keyboard does, in the newest window of this process. */
export async function press(pid: number, ...keys: string[]): Promise<void> {
  const window = await until('a window to press keys in', () => windowsOf(pid).at(-1));
  xdotool('windowfocus', '--sync', window);
  xdotool('key', '--delay', '60', ...keys);
}

export interface Running {
  pid: number;
  child: ChildProcess;
  /** Milliseconds from the start to a window on the display. */
  windowMs: number;
  words(): string;
  ended(withinMs?: number): Promise<number>;
}

/** Starts of the runtime for checks that ended by SIGSEGV in its own code, before any of ours. */
export const crashes = { count: 0 };
const CRASHES = 3;

/**
 * Starts the studio with a window, or whatever shows a dialog instead. Electron 33 crashes now and
 * then while it starts, always at one place: such a start is counted and made again.
 */
export async function open(
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Running> {
  for (;;) {
    const { running, child } = await startOnce(args, env);
    if (running !== undefined) return running;
    crashes.count += 1;
    const marked = existsSync('/usr/lib/evidence-studio/resources/CHECK-ONLY');
    assert(
      marked && child.signalCode === 'SIGSEGV' && crashes.count <= CRASHES,
      `ended by ${child.signalCode} before a window`,
    );
  }
}

async function startOnce(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ running: Running | undefined; child: ChildProcess }> {
  const began = performance.now();
  const child = spawn('setpriv', argsFor([STUDIO, ...args]), {
    cwd: HOME,
    env: environment({ DISPLAY, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (words += chunk));
  const end = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  // setpriv and the launcher become the program, so the process is the same.
  const pid = child.pid ?? 0;
  const seen = (): string =>
    `a window (${words}; ${family(pid)
      .map((one) => one.command.slice(0, 80))
      .join(' | ')}; windows: ${xdotool('search', '--onlyvisible', '--name', '.')})`;
  await until(seen, () => {
    assert.equal(child.exitCode, null, `ended without a window: ${words}`);
    return child.signalCode !== null || windowsOf(pid).length > 0 || undefined;
  });
  if (child.signalCode !== null) return { running: undefined, child };
  const windowMs = performance.now() - began;
  const running: Running = {
    pid,
    child,
    windowMs,
    words: () => words,
    ended: (withinMs = 15_000) =>
      Promise.race([
        end,
        delay(withinMs).then(() => assert.fail(`still there after ${withinMs} ms: ${words}`)),
      ]),
  };
  return { running, child };
}

/** Where the studio answers, once it does. */
export async function address(pid: number): Promise<string> {
  return until('server.json', () => {
    const file = path.join(DATA, 'server.json');
    if (!existsSync(file)) return undefined;
    const stated = JSON.parse(readFileSync(file, 'utf8')) as { url: string; pid: number };
    return stated.pid === pid ? stated.url : undefined;
  });
}

/** A process with all that it started: its command line and what /proc says of it. */
export function family(pid: number): { pid: number; command: string; status: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
        return [{ pid: Number(name), command, status, parent }];
      } catch {
        return [];
      }
    });
  const of = (parent: number): typeof all =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...of(one.pid)]);
  return [...all.filter((one) => one.pid === pid), ...of(pid)];
}

/** Not ended. One that has ended stays listed until whoever started it asks for its exit code. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Proportional memory of all its processes, MB. */
export function memory(pid: number): number {
  const kilobytes = family(pid).map((one) => {
    try {
      const rollup = readFileSync(`/proc/${one.pid}/smaps_rollup`, 'utf8');
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1_000;
}

export const root = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
