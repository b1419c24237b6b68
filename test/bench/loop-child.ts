/**
 * A server in this process, as in the desktop's main process, that reports its event-loop delay:
 * one line of JSON for each line on standard input. Argument: the data folder; without one there is
 * no server, and what is reported is how long any process waits on this machine.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { composeServer } from '../../src/server/compose.ts';
import { builtRenderer } from '../../src/server/renderer-root.ts';
import { createEvidenceServer } from '../../src/server/server.ts';

async function serve(dataDir: string): Promise<() => Promise<void>> {
  const composed = await composeServer({ dataDir, home: 'local', rendererRoot: builtRenderer() });
  const server = await createEvidenceServer(composed.deps, { host: '127.0.0.1', port: 0 });
  composed.announce(server.url);
  console.log(server.url);
  return async () => {
    await server.close();
    await composed.close();
  };
}

const [, , dataDir] = process.argv;
const close = dataDir === undefined ? undefined : await serve(dataDir);
if (dataDir === undefined) console.log('idle');
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
for await (const word of createInterface({ input: process.stdin })) {
  if (word === 'reset') delay.reset();
  else
    console.log(
      JSON.stringify({
        p50: delay.percentile(50) / 1e6,
        p99: delay.percentile(99) / 1e6,
        max: delay.max / 1e6,
      }),
    );
}
await close?.();
