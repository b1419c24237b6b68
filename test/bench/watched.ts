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
  /** The delay while `work` ran. */
  during<T>(work: () => Promise<T>): Promise<{ delay: Delay; result: T }>;
  end(): Promise<void>;
}

export async function watchServer(data: string, ...options: string[]): Promise<Watched> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'loop-child.ts'), data, ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    url: await next(),
    async during(work) {
      child.stdin.write('reset\n');
      const result = await work();
      child.stdin.write('report\n');
      return { delay: JSON.parse(await next()) as Delay, result };
    },
    end() {
      child.stdin.end();
      return ended;
    },
  };
}
