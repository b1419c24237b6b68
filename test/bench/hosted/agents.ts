import autocannon, { type Request, type Result } from 'autocannon';
import { type Served, serveWith } from '../../support/served.ts';
import { residentMiB } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, thousands } from '../measure.ts';
import {
  type Desk,
  type HostedWorld,
  ITEMS,
  itemOf,
  PROFILE,
  PUBLIC_URL,
  RULES,
  startInstance,
} from './seed.ts';

const CONNECTIONS = 50;
const SECONDS = Number(process.env.BENCH_SECONDS ?? '60');
const RAWS = ['TRUE', 'FALSE'] as const;

/**
 * What an agent does over and over: looks at where it is, reads the matrix, records an item, reads
 * again. Three in ten write.
 */
function workflow(desk: Desk): Request[] {
  const read = (path: string): Request => ({ method: 'GET', path });
  const matrix = read(`/api/v1/cases/${desk.caseUid}/evidence?profile_uid=${PROFILE}`);
  let written = 0;
  const write: Request = {
    method: 'POST',
    path: `/api/v1/cases/${desk.caseUid}/evidence`,
    headers: { 'content-type': 'application/json' },
    setupRequest(request) {
      written += 1;
      const item_uid = itemOf(written % ITEMS);
      const raw_outcome = RAWS[Math.floor(written / ITEMS) % 2];
      return {
        ...request,
        body: JSON.stringify({
          profile_uid: PROFILE,
          items: [{ item_uid }],
          outcomes: RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome })),
        }),
      };
    },
  };
  return [
    read('/api/v1/projects'),
    read(`/api/v1/cases?project_id=${desk.project}`),
    read(`/api/v1/profiles/${PROFILE}`),
    matrix,
    write,
    matrix,
    write,
    read(`/api/v1/cases?project_id=${desk.project}`),
    matrix,
    write,
  ];
}

interface Loaded {
  result: Result;
  /** MiB, once a second. */
  resident: number[];
}

async function load(server: Served, desks: readonly Desk[]): Promise<Loaded> {
  let next = 0;
  const resident: number[] = [];
  const watch = setInterval(
    () => void residentMiB(server.child.pid!).then((found) => resident.push(found)),
    1_000,
  );
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    setupClient(client) {
      const desk = desks[next % desks.length]!;
      next += 1;
      client.setHeaders({ authorization: `Bearer ${desk.key}`, host: new URL(PUBLIC_URL).host });
      client.setRequests(
        workflow(desk).map((request) => ({
          ...request,
          headers: {
            ...request.headers,
            authorization: `Bearer ${desk.key}`,
            host: new URL(PUBLIC_URL).host,
          },
        })),
      );
    },
  });
  clearInterval(watch);
  return { result, resident };
}

const inWords = ({ requests, latency }: Result): string =>
  `${thousands(requests.average)} requests/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms`;

/** The same load on ours and on the floor, by turns, each on the database alone. */
export async function agentRows(world: HostedWorld, folder: string): Promise<Figure[]> {
  const bare = await serveWith(process.execPath, [`${import.meta.dirname}/bare.ts`, world.owner]);
  const floor = await load(bare, world.desks);
  await bare.kill('SIGTERM');
  const server = await startInstance(world, folder);
  const ours = await load(server, world.desks);
  await server.kill('SIGTERM');
  const { result } = ours;
  const share = result.requests.average / floor.result.requests.average;
  const bad = result['5xx'] + result.errors + result.timeouts;
  const third = Math.floor(ours.resident.length / 3);
  const [middle, last] = [
    median(ours.resident.slice(third, 2 * third)),
    median(ours.resident.slice(2 * third)),
  ];
  return [
    {
      what: `agents' workflow on PostgreSQL, ${CONNECTIONS} connections, ${SECONDS} s, 3 of 10 requests write`,
      ours: inWords(result),
      floor: `${inWords(floor.result)}, bare Express + pg, one statement a request`,
      compared: `${(share * 100).toFixed(0)} %`,
      gate: 'at least 40 %',
      met: share >= 0.4,
    },
    {
      what: 'answers to it that are not 2xx',
      ours: `${bad} of 5xx, errors or time-outs; ${result.non2xx} others; ${thousands(result['2xx'])} of 2xx`,
      floor: `${floor.result.non2xx}`,
      compared: '',
      gate: 'none',
      met: bad === 0 && result.non2xx === 0,
    },
    {
      what: 'memory of the server meanwhile',
      ours: `${last.toFixed(0)} MiB in the last third`,
      floor: `${middle.toFixed(0)} MiB in the middle third`,
      compared: `${(last / middle).toFixed(2)} times`,
      gate: 'at most 1.1 times',
      met: last <= 1.1 * middle,
    },
  ];
}
