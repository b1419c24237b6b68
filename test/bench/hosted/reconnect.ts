/**
 * Desktops that were cut off come back all at once, each with an edit, while agents of other
 * accounts work on.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { serve, type Served } from '../../support/served.ts';
import type { Figure } from '../figure.ts';
import { percentile, thousands } from '../measure.ts';
import { freePort } from '../sync/wire.ts';
import { cpuSeconds } from './cpu.ts';
import { send } from './request.ts';
import { type Desk, type HostedWorld, itemOf, PROFILE, RULES } from './seed.ts';
import type { StudiosReport, StudiosTask } from './studios-child.ts';

const AGENT_TEAMS = 2;
const DOWN_MS = 5_000;
const MOST_MS = 60_000;
const AGENT_P99_MS = 2_000;

/** An agent that reads its case and records an item, over and over; answers how long each took. */
async function work(
  server: Served,
  desk: Desk,
  { signal, count }: { signal: AbortSignal; count: (answer: string) => void },
): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    const item_uid = itemOf(n % 20);
    const outcomes = RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome: 'NA' }));
    const path = `/api/v1/cases/${desk.caseUid}/evidence`;
    const { status, headers, ms } = await send(
      server,
      desk,
      agent,
      n % 3 === 0
        ? { method: 'POST', path, body: { profile_uid: PROFILE, items: [{ item_uid }], outcomes } }
        : { method: 'GET', path: `${path}?profile_uid=${PROFILE}` },
    );
    count(`${status}${headers['retry-after'] === undefined ? '' : ' with Retry-After'}`);
    times.push(ms);
    await wait(20);
  }
  agent.destroy();
  return times;
}

/**
 * In how many seconds so many of a hundred of the agents' requests were answered, as the server
 * counts.
 */
async function withinAtServer(metrics: number, percent: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  const buckets = new Map<number, number>();
  for (const [, le, route, count] of text.matchAll(
    /^evidence_studio_http_request_duration_seconds_bucket\{le="([^"]+)",.*route="([^"]+)"\} (\d+)$/gm,
  ))
    if (route!.endsWith('/evidence')) {
      const bound = le === '+Inf' ? Infinity : Number(le);
      buckets.set(bound, (buckets.get(bound) ?? 0) + Number(count));
    }
  const enough = ((buckets.get(Infinity) ?? 0) * percent) / 100;
  return [...buckets].find(([, count]) => count >= enough)?.[0] ?? Infinity;
}

export async function reconnectRows(
  world: HostedWorld,
  folder: string,
  teamSize: number,
): Promise<Figure[]> {
  const [port, metrics] = [await freePort(), await freePort()];
  // All of them come from this machine, as if through a proxy.
  const env = {
    ...world.env,
    EVIDENCE_STUDIO_TRUSTED_PROXIES: '127.0.0.1',
    EVIDENCE_STUDIO_METRICS: `127.0.0.1:${metrics}`,
  };
  const start = async (): Promise<Served> => ({
    ...(await serve(folder, ['--port', String(port)], env)),
    url: `http://127.0.0.1:${port}`,
  });
  const desks = world.desks.slice(0, -AGENT_TEAMS * teamSize);
  const agents = world.desks.slice(-AGENT_TEAMS * teamSize);
  let server = await start();
  const studios = fork(`${import.meta.dirname}/studios-child.ts`, { stdio: 'inherit' });
  try {
    const task: StudiosTask = {
      url: `http://127.0.0.1:${port}`,
      hostedStore: world.storeId,
      desks,
      seconds: 0,
      teamSize,
    };
    studios.send(task);
    await once(studios, 'message');
    await server.kill('SIGKILL');
    studios.send('go');
    await wait(DOWN_MS);
    server = await start();
    const end = new AbortController();
    const answers: Record<string, number> = {};
    const working = agents.map((desk) =>
      work(server, desk, {
        signal: end.signal,
        count: (answer) => (answers[answer] = (answers[answer] ?? 0) + 1),
      }),
    );
    const who = {
      server: server.child.pid!,
      PostgreSQL: world.postgres.pid,
      'the studios': studios.pid!,
    };
    const spent = (): number[] => {
      const { user, system } = process.cpuUsage();
      return [...Object.values(who).map((pid) => cpuSeconds(pid)), (user + system) / 1e6];
    };
    const [before, began] = [spent(), performance.now()];
    studios.send('back');
    const [report] = (await once(studios, 'message')) as [StudiosReport];
    const seconds = (performance.now() - began) / 1_000;
    const shares = spent().map((now, n) => ((now - before[n]!) / seconds) * 100);
    const atServer = await withinAtServer(metrics, 99);
    end.abort();
    const times = (await Promise.all(working)).flat();
    const expected = desks.length * (teamSize - 1);
    const isWell = [...Object.keys(report.faults), ...Object.keys(answers)].every((name) =>
      ['200', '503 with Retry-After'].includes(name),
    );
    const p99 = percentile(times, 99);
    const countsOf = (counts: Record<string, number>): string =>
      Object.entries(counts)
        .map(([name, count]) => `${thousands(count)} of ${name}`)
        .join(', ') || 'none';
    return [
      {
        what: `${thousands(desks.length)} desktops come back within a second, each with an edit: until every one has those of its team`,
        ours: `${(report.arrivedAfter / 1_000).toFixed(1)} s, p50 ${(percentile(report.delays, 50) / 1_000).toFixed(1)} s`,
        floor: '',
        compared: `${thousands(report.delays.length)} of ${thousands(expected)} arrivals; answers from 500 on: ${countsOf(report.faults)}`,
        gate: `all within ${MOST_MS / 1_000} s, no 5xx but 503 with Retry-After`,
        met: report.delays.length === expected && report.arrivedAfter <= MOST_MS && isWell,
      },
      {
        what: `requests of ${agents.length} agents of other accounts meanwhile`,
        ours: `p50 ${percentile(times, 50).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
        floor: '',
        compared:
          `answers: ${countsOf(answers)}; p99 from the request to the end of its answer, as the ` +
          `server counts, within ${atServer * 1_000} ms; of a core: ` +
          [...Object.keys(who), 'the agents']
            .map((name, n) => `${name} ${shares[n]!.toFixed(0)} %`)
            .join(', '),
        gate: `p99 at most ${AGENT_P99_MS / 1_000} s, no 5xx but 503 with Retry-After`,
        met: p99 <= AGENT_P99_MS && isWell,
      },
    ];
  } finally {
    studios.kill();
    await server.kill('SIGTERM');
  }
}
