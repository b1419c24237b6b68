import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeKey } from '../support/served.ts';
import type { Figure } from './figure.ts';
import { fillCase, prepareCase } from './evidence.ts';
import { temporary } from './measure.ts';
import { watchServer } from './watched.ts';

/**
 * How long the process that holds the server is blocked while an agent writes 10,000 cells a
 * request without a pause.
 */
export async function loopBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await watchServer(data);
    try {
      await prepareCase(server.url, key);
      await fillCase(server.url, key, 3);
      const { delay: quiet } = await server.during(() => wait(2_000));
      const { delay: busy, idle } = await server.during(() =>
        fillCase(server.url, key, 40, { shift: 1 }),
      );
      return [
        {
          what: 'event-loop delay of the process that holds the server, while an agent writes 10,000 cells a request',
          ours: `p99 ${busy.p99.toFixed(1)} ms (p50 ${busy.p50.toFixed(1)}, longest ${busy.max.toFixed(0)})`,
          floor:
            `p99 ${idle.p99.toFixed(1)} ms in a process that does nothing, ` +
            `at the same time; p99 ${quiet.p99.toFixed(1)} ms with nothing to do`,
          compared: '',
          gate: 'p99 at most 20 ms',
          met: busy.p99 <= 20,
        },
      ];
    } finally {
      await server.end();
    }
  });
}
