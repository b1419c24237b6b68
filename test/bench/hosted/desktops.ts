import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Figure } from '../figure.ts';
import { percentile, thousands } from '../measure.ts';
import { cpuSeconds } from './cpu.ts';
import { type HostedWorld, startInstance } from './seed.ts';
import type { StudiosReport, StudiosTask } from './studios-child.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? '60');

/**
 * As many studios as the world has desks, in teams that share a case, each with one edit a second.
 */
export async function desktopRows(
  world: HostedWorld,
  folder: string,
  teams: number,
): Promise<Figure[]> {
  const server = await startInstance(world, folder);
  const studios = fork(`${import.meta.dirname}/studios-child.ts`, { stdio: 'inherit' });
  const teamSize = world.desks.length / teams;
  try {
    const task: StudiosTask = {
      url: server.url,
      hostedStore: world.storeId,
      desks: world.desks,
      seconds: SECONDS,
      teamSize,
    };
    studios.send(task);
    await once(studios, 'message');
    const who = {
      server: server.child.pid!,
      PostgreSQL: world.postgres.pid,
      'the studios': studios.pid!,
    };
    const before = Object.values(who).map(cpuSeconds);
    studios.send('go');
    const [report] = (await once(studios, 'message')) as [StudiosReport];
    const { delays, edits, requests, arrivedAfter } = report;
    const spent = Object.entries(who).map(([name, pid], n) => ({
      name,
      ms: (cpuSeconds(pid) - before[n]!) * 1_000,
    }));
    const p95 = percentile(delays, 95);
    const expected = edits * (teamSize - 1);
    const failures =
      Object.entries(report.failures)
        .map(([what, count]) => `${what}: ${count}`)
        .join(', ') || 'none';
    return [
      {
        what:
          `${world.desks.length} desktops in ${teams} teams of ${teamSize}, ` +
          `one edit a second each for ${SECONDS} s: edit to each other desktop of the team`,
        ours: `p50 ${percentile(delays, 50).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${percentile(delays, 100).toFixed(0)} ms`,
        floor: '',
        compared:
          `${thousands(delays.length)} of ${thousands(expected)} arrivals seen, ` +
          `${thousands((edits / arrivedAfter) * 1_000)} edits/s; failed: ${failures}`,
        gate: 'p95 at most 4 s, all arrive',
        met: p95 <= 4_000 && delays.length === expected,
      },
      {
        what: 'processor time of that, of two cores',
        ours: spent
          .map(({ name, ms }) => `${name} ${((ms / arrivedAfter) * 100).toFixed(0)} %`)
          .join(', '),
        floor: '',
        compared:
          spent.map(({ name, ms }) => `${name} ${(ms / edits).toFixed(1)} ms an edit`).join(', ') +
          `; ${(requests / edits).toFixed(1)} requests an edit`,
        gate: '',
        met: true,
      },
    ];
  } finally {
    studios.kill();
    await server.kill('SIGTERM');
  }
}
