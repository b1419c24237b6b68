/**
 * An instance that is killed while desktops work, and comes back: how long until all listen again,
 * and whether everything arrives.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { percentile, thousands } from '../measure.ts';
import { serve } from '../../support/served.ts';
import { freePort } from '../sync/wire.ts';
import type { HostedWorld } from './seed.ts';
import type { StudiosReport, StudiosTask } from './studios-child.ts';

/** The desktops edit for so long; nobody answers from `DOWN_AT` on for `DOWN`. Seconds. */
const [SECONDS, DOWN_AT, DOWN] = [90, 15, 30];

export async function stormRows(
  world: HostedWorld,
  folder: string,
  teams: number,
): Promise<Figure[]> {
  const [port, figures] = [await freePort(), await freePort()];
  const env = { ...world.env, EVIDENCE_STUDIO_METRICS: `127.0.0.1:${figures}` };
  const start = () => serve(folder, ['--port', String(port)], env);
  const streams = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${figures}/metrics`)).text();
    return Number(/^evidence_studio_event_streams (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  let server = await start();
  const studios = fork(`${import.meta.dirname}/studios-child.ts`, { stdio: 'inherit' });
  try {
    const teamSize = world.desks.length / teams;
    const task: StudiosTask = {
      url: `http://127.0.0.1:${port}`,
      hostedStore: world.storeId,
      desks: world.desks,
      seconds: SECONDS,
      teamSize,
    };
    studios.send(task);
    await once(studios, 'message');
    studios.send('go');
    const reported = once(studios, 'message');
    await wait(DOWN_AT * 1_000);
    await server.kill('SIGKILL');
    await wait(DOWN * 1_000);
    server = await start();
    const back = performance.now();
    while ((await streams()) < world.desks.length) await wait(100);
    const listening = performance.now() - back;
    const [report] = (await reported) as [StudiosReport];
    const { delays, edits } = report;
    const expected = edits * (teamSize - 1);
    return [
      {
        what:
          `${world.desks.length} desktops, one edit a second each, and an instance that is killed ` +
          `and back after ${DOWN} s: until all listen again`,
        ours: `${(listening / 1_000).toFixed(1)} s`,
        floor: '',
        compared:
          `${thousands(delays.length)} of ${thousands(expected)} arrivals seen; edit to another ` +
          `desktop p50 ${percentile(delays, 50).toFixed(0)} ms, longest ${(percentile(delays, 100) / 1_000).toFixed(1)} s`,
        gate: 'all arrive',
        met: delays.length === expected,
      },
    ];
  } finally {
    studios.kill();
    await server.kill('SIGTERM');
  }
}
