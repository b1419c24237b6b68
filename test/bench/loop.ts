import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeKey } from '../support/served.ts';
import type { Figure } from './figure.ts';
import { fillCase, prepareCase } from './evidence.ts';
import { temporary } from './measure.ts';

interface Delay {
  p50: number;
  p99: number;
  max: number;
}

/** How long the process that holds the server is blocked while an agent writes 10,000 cells a request without a pause. */
export async function loopBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'loop-child.ts'), data], { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    const ask = async (): Promise<Delay> => {
      child.stdin.write('report\n');
      return JSON.parse(await next()) as Delay;
    };
    try {
      const url = await next();
      await prepareCase(url, key);
      await fillCase(url, key, 3);
      child.stdin.write('reset\n');
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const idle = await ask();
      child.stdin.write('reset\n');
      await fillCase(url, key, 40, { shift: 1 });
      const busy = await ask();
      return [{ what: 'event-loop delay of the process that holds the server, while an agent writes 10,000 cells a request', ours: `p99 ${busy.p99.toFixed(1)} ms (p50 ${busy.p50.toFixed(1)}, longest ${busy.max.toFixed(0)})`, floor: `p99 ${idle.p99.toFixed(1)} ms idle`, compared: '', gate: 'p99 at most 50 ms', met: busy.p99 <= 50 }];
    } finally {
      child.stdin.end();
    }
  });
}
