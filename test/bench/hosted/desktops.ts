import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { percentile, thousands } from '../measure.ts';
import { cpuSeconds } from './cpu.ts';
import { type HostedWorld, startInstance } from './seed.ts';
import type { StudiosReport, StudiosTask } from './studios-child.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? '60');

/** How long the server answers nobody in `disturbedRow`, ms. */
const FROZEN_MS = 5_000;

/**
 * As many studios as the world has desks, in teams that share a case, each with one edit a second.
 */
export async function desktopRows(
  world: HostedWorld,
  folder: string,
  teams: number,
): Promise<Figure[]> {
  return rowsOf(await play(world, folder, teams, 0), world, teams);
}

/** The same, with a server that answers nobody for some seconds after a third of the time. */
export async function disturbedRow(
  world: HostedWorld,
  folder: string,
  teams: number,
): Promise<Figure> {
  return rowOfLate(await play(world, folder, teams, FROZEN_MS));
}

interface Played {
  report: StudiosReport;
  /** Edits that are to be seen by others. */
  expected: number;
  spent: { name: string; ms: number }[];
}

async function play(
  world: HostedWorld,
  folder: string,
  teams: number,
  frozenMs: number,
): Promise<Played> {
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
    const reported = once(studios, 'message');
    if (frozenMs > 0) {
      await sleep((SECONDS * 1_000) / 3);
      process.kill(who.server, 'SIGSTOP');
      await sleep(frozenMs);
      process.kill(who.server, 'SIGCONT');
    }
    const [report] = (await reported) as [StudiosReport];
    const spent = Object.entries(who).map(([name, pid], n) => ({
      name,
      ms: (cpuSeconds(pid) - before[n]!) * 1_000,
    }));
    return { report, expected: report.edits * (teamSize - 1), spent };
  } finally {
    studios.kill();
    await server.kill('SIGTERM');
  }
}

function rowsOf(
  { report, expected, spent }: Played,
  { desks }: HostedWorld,
  teams: number,
): Figure[] {
  const { delays, edits, requests, arrivedAfter } = report;
  const p95 = percentile(delays, 95);
  const failures =
    Object.entries(report.failures)
      .map(([what, count]) => `${what}: ${count}`)
      .join(', ') || 'none';
  return [
    {
      what:
        `${desks.length} desktops in ${teams} teams of ${desks.length / teams}, ` +
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
}

function rowOfLate({ report, expected }: Played): Figure {
  const { delays, lateDelays } = report;
  const p95 = percentile(lateDelays, 95);
  return {
    what: `the same, the server frozen for ${FROZEN_MS / 1_000} s after a third: edits of the last third`,
    ours: `p50 ${percentile(lateDelays, 50).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
    floor: '',
    compared: `${thousands(delays.length)} of ${thousands(expected)} arrivals seen, longest ${percentile(delays, 100).toFixed(0)} ms`,
    gate: 'p95 at most 4 s, all arrive',
    met: p95 <= 4_000 && delays.length === expected,
  };
}
