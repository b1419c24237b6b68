import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Delay {
  p50: number;
  p99: number;
  max: number;
}

/** A server as in the desktop's main process, whose event-loop delay can be asked for. */
export interface Watched {
  url: string;
  /** The delay while `work` ran, and that of a process that does nothing. */
  during<T>(work: () => Promise<T>): Promise<{ delay: Delay; idle: Delay; result: T }>;
  end(): Promise<void>;
}

async function start(args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'loop-child.ts'), ...args],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    first: await next(),
    reset: () => void child.stdin.write('reset\n'),
    async report(): Promise<Delay> {
      child.stdin.write('report\n');
      return JSON.parse(await next()) as Delay;
    },
    end() {
      child.stdin.end();
      return ended;
    },
  };
}

export async function watchServer(data: string): Promise<Watched> {
  const server = await start([data]);
  const idle = await start([]);
  return {
    url: server.first,
    async during(work) {
      server.reset();
      idle.reset();
      const result = await work();
      return { delay: await server.report(), idle: await idle.report(), result };
    },
    async end() {
      await server.end();
      await idle.end();
    },
  };
}
