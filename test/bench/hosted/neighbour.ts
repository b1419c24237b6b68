import { Agent, request } from 'node:http';
import type { Served } from '../../support/served.ts';
import type { Figure } from '../figure.ts';
import {
  type Desk,
  type HostedWorld,
  itemOf,
  PROFILE,
  PUBLIC_URL,
  RULES,
  startInstance,
} from './seed.ts';

const CONNECTIONS = 40;
const CELLS = 6_000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? '60') / 3;

interface Answered {
  status: number;
  ms: number;
}

/** One who sends requests one after the other, on a connection of its own, until told to stop. */
async function sendUntil(
  server: Served,
  desk: Desk,
  next: (n: number) => { method: string; path: string; body?: string },
  until: () => boolean,
): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answered[] = [];
  for (let n = 0; !until(); n += 1) {
    const { method, path, body } = next(n);
    const started = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${desk.key}`,
        host: new URL(PUBLIC_URL).host,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      };
      const sent = request(server.url + path, { method, agent, headers }, (response) => {
        response
          .resume()
          .once('end', () => resolve(response.statusCode ?? 0))
          .once('error', reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
    answers.push({ status, ms: performance.now() - started });
  }
  agent.destroy();
  return answers;
}

/** What a person's page and an agent's small steps ask: a list, a matrix, and an item written. */
function small(desk: Desk, n: number): { method: string; path: string; body?: string } {
  const path = `/api/v1/cases/${desk.caseUid}/evidence`;
  if (n % 3 === 0) return { method: 'GET', path: '/api/v1/projects' };
  if (n % 3 === 1) return { method: 'GET', path: `${path}?profile_uid=${PROFILE}` };
  const item_uid = itemOf(n % 20);
  return {
    method: 'POST',
    path,
    body: JSON.stringify({
      profile_uid: PROFILE,
      items: [],
      outcomes: RULES.map((rule_uid) => ({
        item_uid,
        rule_uid,
        raw_outcome: n % 2 === 0 ? 'TRUE' : 'FALSE',
      })),
    }),
  };
}

function large(
  desk: Desk,
  sender: number,
  n: number,
): { method: string; path: string; body: string } {
  const items = Array.from({ length: CELLS / RULES.length }, (_, row) => ({
    item_uid: `large_${sender}_${row}`,
  }));
  const outcomes = items.flatMap(({ item_uid }) =>
    RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome: n % 2 === 0 ? 'TRUE' : 'FALSE' })),
  );
  return {
    method: 'POST',
    path: `/api/v1/cases/${desk.caseUid}/evidence`,
    body: JSON.stringify({ profile_uid: PROFILE, items, outcomes }),
  };
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
function spread(answers: readonly Answered[]): { p50: number; p99: number; words: string } {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const [p50, p99] = [at(sorted, 0.5), at(sorted, 0.99)];
  return {
    p50,
    p99,
    words: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${sorted.length} requests`,
  };
}

/** One account's small requests, alone and then beside another account's heavy ones. */
export async function neighbourRows(world: HostedWorld, folder: string): Promise<Figure[]> {
  const server = await startInstance(
    { env: { ...world.env, EVIDENCE_STUDIO_RATE_LIMIT: 'off' } },
    folder,
  );
  const [heavy, light] = [
    world.desks[0]!,
    world.desks.find(({ account }) => account !== world.desks[0]!.account)!,
  ];
  const forSeconds = async (desk: Desk, count: number): Promise<Answered[]> => {
    const end = performance.now() + SECONDS * 1_000;
    return (
      await Promise.all(
        Array.from({ length: count }, () =>
          sendUntil(
            server,
            desk,
            (n) => small(desk, n),
            () => performance.now() > end,
          ),
        ),
      )
    ).flat();
  };
  await forSeconds(light, 1);
  const quiet = await forSeconds(light, 2);
  let over = false;
  const desks = world.desks.filter(({ account }) => account === heavy.account);
  const load = Array.from({ length: CONNECTIONS }, (_, sender) =>
    sendUntil(
      server,
      desks[sender % desks.length]!,
      (n) => large(desks[sender % desks.length]!, sender, n),
      () => over,
    ),
  );
  const started = performance.now();
  const beside = await forSeconds(light, 2);
  over = true;
  const heavies = (await Promise.all(load)).flat();
  const seconds = (performance.now() - started) / 1_000;
  await server.kill('SIGTERM');
  const [alone, crowded] = [spread(quiet), spread(beside)];
  const bad = [...quiet, ...beside, ...heavies].filter(({ status }) => status !== 200).length;
  const times = crowded.p99 / alone.p99;
  return [
    {
      what:
        `small requests of an account beside another one's ${CONNECTIONS} connections that ` +
        `write ${CELLS.toLocaleString('en')} cells each`,
      ours: crowded.words,
      floor: `${alone.words}, alone`,
      compared: `p99 ${times.toFixed(1)} times`,
      gate: 'p99 at most 3 times',
      met: times <= 3,
    },
    {
      what: 'cells that the other account writes meanwhile',
      ours: `${Math.round((heavies.length * CELLS) / seconds).toLocaleString('en')} cells/s`,
      floor: '',
      compared: `${bad} answers that are not 200`,
      gate: 'none',
      met: bad === 0,
    },
  ];
}
