/** A real Redis, or Valkey, of the tests' own, where the machine has one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './postgres.ts';

/** The program; none where neither is installed. */
export const REDIS = ['redis-server', 'valkey-server'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

export interface RunningRedis {
  url: string;
  /** It is there, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Nothing listens where it was, and all is forgotten; `start` begins again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<RunningRedis> {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  async function start(): Promise<void> {
    const settings = { port, bind: '127.0.0.1', dir: folder, save: '', requirepass: 'secret' };
    const started = spawn(
      REDIS!,
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = started;
    process.once('exit', () => started.kill('SIGKILL'));
    let said = '';
    for await (const piece of started.stdout) {
      said += String(piece);
      if (/ready to accept connections/i.test(said)) break;
    }
    started.stdout.destroy();
  }
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  await start();
  return {
    url: `redis://:secret@127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
