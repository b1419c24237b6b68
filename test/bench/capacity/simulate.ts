/**
 * `npm run simulate [seed]`: plays the sites of docs/scaling.md and prints where queues grow. The
 * same seed gives the same lines.
 */
import { percentile, thousands } from '../measure.ts';
import { perSecond, usedOf } from './figures.ts';
import { MEASURED, type Measured, type Site, SITES, STORMS } from './site.ts';
import { KINDS, type StationKind } from './servers.ts';
import { type Outcome, simulate } from './simulation.ts';

const NAMES: Readonly<Record<StationKind, string>> = {
  threads: 'instances',
  pools: 'connections',
  database: 'PostgreSQL',
};
/** So many times the load, to find what gives way first. */
const FACTORS = [1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
const FACTOR_LASTS_MS = 15_000;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether more wait in the last third than in the first, by far. */
function grows({ waiting }: Outcome, kind: StationKind): boolean {
  const seconds = waiting[kind];
  const third = Math.floor(seconds.length / 3);
  return mean(seconds.slice(-third)) > 10 + 2 * mean(seconds.slice(0, third));
}

function stationLine(site: Site, outcome: Outcome, kind: StationKind): string {
  const stations = outcome.stations[kind];
  const used = (usedOf(site, outcome, kind) * 100).toFixed(0);
  const longest = Math.max(...stations.map((station) => station.longest));
  const waits = percentile(
    stations.flatMap((station) => station.waits),
    99,
  );
  return (
    `  ${NAMES[kind].padEnd(11)} ${used.padStart(3)} % used, at most ${thousands(longest)} ` +
    `waiting at one, p99 of waits ${waits.toFixed(0)} ms${grows(outcome, kind) ? ', grows' : ''}`
  );
}

function lines(site: Site, outcome: Outcome): string[] {
  const { delays, edits, listeningAfter, sentAfter } = outcome;
  const { requests, limited, refused } = outcome.counts;
  const rate = (count: number): string => thousands(perSecond(site, count));
  const seconds = (ms: number | undefined): string =>
    ms === undefined ? 'not in this time' : `${Math.round(ms / 1_000)} s`;
  return [
    `${site.name}: ${thousands(site.desktops)} desktops, ${thousands(site.agents)} agents, ` +
      `${site.instances} instances, ${site.sharedCores ?? site.databaseCores} cores` +
      `${site.sharedCores === undefined ? ' of PostgreSQL' : ' for all'}`,
    `  ${rate(edits)} edits/s, ${rate(requests)} requests/s; edit to another desktop ` +
      `p50 ${percentile(delays, 50).toFixed(0)} ms, p95 ${percentile(delays, 95).toFixed(0)} ms; ` +
      `${thousands(limited)} limited, ${thousands(refused)} refused`,
    ...KINDS.map((kind) => stationLine(site, outcome, kind)),
    ...(site.outage === undefined
      ? []
      : [
          `  all listen again after ${seconds(listeningAfter)}, ` +
            `all written before is sent after ${seconds(sentAfter)}`,
        ]),
  ];
}

function measuredLine({ from, ...measured }: Measured, outcome: Outcome): string {
  const simulated: Record<keyof typeof measured, number | undefined> = {
    p50: percentile(outcome.delays, 50),
    p95: percentile(outcome.delays, 95),
    longest: percentile(outcome.delays, 100),
    listening: outcome.listeningAfter,
  };
  const told = (Object.keys(simulated) as (keyof typeof measured)[]).flatMap((what) => {
    const [real, played] = [measured[what], simulated[what]];
    if (real === undefined || played === undefined) return [];
    const off = Math.round((played / real - 1) * 100);
    return [`${what} ${thousands(real)} ms, simulated ${thousands(played)} (${off} %)`];
  });
  return `  measured (${from}): ${told.join('; ')}`;
}

/** What gives way first as the load grows, with all else as it is. */
function firstToGrow(site: Site, seed: number): string {
  for (const factor of FACTORS) {
    const more: Site = {
      ...site,
      desktops: site.desktops * factor,
      agents: site.agents * factor,
      lasts: FACTOR_LASTS_MS,
    };
    const outcome = simulate(more, seed);
    const full = KINDS.filter(
      (kind) => usedOf(more, outcome, kind) > 0.95 || grows(outcome, kind),
    ).map((kind) => NAMES[kind]);
    if (full.length > 0) return `  at ${factor} times this load: ${full.join(', ')}`;
  }
  return `  nothing gives way at ${FACTORS.at(-1)} times this load`;
}

const seed = Number(process.argv[2] ?? '1');
for (const site of MEASURED) {
  const outcome = simulate(site, seed);
  console.log(lines(site, outcome).join('\n'));
  console.log(`${measuredLine(site.measured, outcome)}\n`);
}
for (const site of SITES)
  console.log([...lines(site, simulate(site, seed)), firstToGrow(site, seed), ''].join('\n'));
for (const site of STORMS) console.log([...lines(site, simulate(site, seed)), ''].join('\n'));
