/**
 * Machines of a drill on this one: network namespaces of Linux, each with an address of its own on
 * a network that leads nowhere else. Only root makes them.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';

/** Names of networks begin so, with the process that made them. */
const NAME = 'evs';
type Signal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

const ip = (...args: string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Whether namespaces can be made here: by root, where there is `ip`. */
export function canMakeMachines(): boolean {
  try {
    const name = `evs-try-${process.pid}`;
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return true;
  } catch {
    return false;
  }
}

export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #link: string;

  constructor(name: string, address: string, bridge: string, number: number) {
    this.name = name;
    this.address = address;
    this.#link = `${bridge}-${number}`;
    ip('netns', 'add', name);
    ip('link', 'add', this.#link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', this.#link, 'master', bridge, 'up');
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up');
  }

  /** What it says goes to `log`. `user`: as whom. */
  start(
    program: string,
    args: readonly string[],
    {
      log,
      user = 'root',
      env = {},
    }: { log: string; user?: string; env?: Record<string, string | undefined> },
  ): ChildProcess {
    const to = openSync(log, 'a');
    const as = ['setpriv', `--reuid=${user}`, '--regid', user, '--init-groups', program];
    const child = spawn('ip', ['netns', 'exec', this.name, ...as, ...args], {
      cwd: '/',
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', to, to],
    });
    closeSync(to);
    return child;
  }

  /** To all of its processes, and to those that they start meanwhile. */
  signal(name: Signal, onlyOf?: number): void {
    const sent = new Set<number>();
    for (let fresh = true; fresh;) {
      fresh = false;
      for (const pid of processesOf(this.name)) {
        if (sent.has(pid) || (onlyOf !== undefined && !isChildOf(pid, onlyOf))) continue;
        fresh = true;
        sent.add(pid);
        sendTo(pid, name);
      }
    }
  }

  /** Nothing goes in or out, and nobody is told. */
  cut(): void {
    ip('link', 'set', this.#link, 'down');
  }
  mend(): void {
    ip('link', 'set', this.#link, 'up');
  }

  close(): void {
    this.signal('SIGKILL');
    ip('netns', 'del', this.name);
  }
}

function processesOf(namespace: string): number[] {
  const found = ip('netns', 'pids', namespace).trim();
  return found === '' ? [] : found.split('\n').map(Number);
}

function sendTo(pid: number, signal: Signal): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function isChildOf(pid: number, parent: number): boolean {
  if (pid === parent) return true;
  try {
    return (
      Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' })) ===
      parent
    );
  } catch {
    return false;
  }
}

/** What a test that was killed has left behind. */
function sweep(): void {
  for (const line of ip('netns', 'list').split('\n')) {
    const [name = ''] = line.split(' ');
    const [, pid] = /^evs(\d+)-\w+$/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    for (const process of processesOf(name)) sendTo(process, 'SIGKILL');
    ip('netns', 'del', name);
  }
  for (const [, name = '', pid] of ip('link').matchAll(/ (evs(\d+)): /g))
    if (!existsSync(`/proc/${pid}`)) ip('link', 'del', name);
}

/** A network of machines; this one is in it, too. */
export class Network {
  readonly #name = `${NAME}${process.pid}`;
  readonly #prefix = `198.18.${1 + (process.pid % 250)}`;
  readonly #machines: Machine[] = [];
  /** Of the machine that the tests themselves run on. */
  readonly address = `${this.#prefix}.1`;
  readonly #end = (): void => this.close();

  constructor() {
    sweep();
    ip('link', 'add', this.#name, 'type', 'bridge');
    ip('addr', 'add', `${this.address}/24`, 'dev', this.#name);
    ip('link', 'set', this.#name, 'up');
    process.once('exit', this.#end);
  }

  machine(name: string): Machine {
    const number = this.#machines.length;
    const address = `${this.#prefix}.${21 + number}`;
    const machine = new Machine(`${this.#name}-${name}`, address, this.#name, number);
    this.#machines.push(machine);
    return machine;
  }

  close(): void {
    process.off('exit', this.#end);
    for (const machine of this.#machines.splice(0)) machine.close();
    ip('link', 'del', this.#name);
  }
}

/** Ends a process by SIGTERM and waits for it. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
