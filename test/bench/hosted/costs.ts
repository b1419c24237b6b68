/**
 * What single requests of desktops and agents cost a hosted server and its PostgreSQL, in processor
 * time: what `npm run simulate` reckons with.
 */
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { PROTOCOL } from '../../../src/shared/contract/sync.ts';
import type { Served } from '../../support/served.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import type { Figure } from '../figure.ts';
import { median, thousands } from '../measure.ts';
import { cpuSeconds } from './cpu.ts';
import { send, type Sent } from './request.ts';
import {
  type Desk,
  type HostedWorld,
  itemOf,
  PROFILE,
  PUBLIC_URL,
  RULES,
  startInstance,
} from './seed.ts';

const [ROUNDS, REQUESTS, WARM_UP] = [8, 500, 500];
const TEAMS = 50;
const AT_ONCE = 8;
/** Changes that each team's case has from its desktops. */
const PUSHED = (WARM_UP + ROUNDS * REQUESTS) / TEAMS;
const STREAMS_OF_DESK = 4;
const WATCHED_S = 15;

const PUSH = 'push of one change';

const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** One edit of a desktop, over what it wrote there before. */
function editor(desk: Desk, row: number): () => Sent {
  const heads = new Map<string, string>();
  let edits = 0;
  return () => {
    const rule = RULES[(edits += 1) % RULES.length]!;
    const head = heads.get(rule);
    const entry = unseenOutcome(
      { profile: PROFILE, version: '1.0', rule, item: itemOf(row) },
      edits % 2 === 0 ? 'TRUE' : 'FALSE',
    );
    const change = wireChange(desk.caseUid, desk.user, [
      { ...entry, parents: head === undefined ? [] : [head] },
    ]);
    heads.set(rule, `${change.id}#0`);
    return {
      method: 'POST',
      path: `/api/v1/sync/cases/${desk.caseUid}/push`,
      body: { protocol: PROTOCOL, changes: [change] },
    };
  };
}

function agentWrite(desk: Desk): () => Sent {
  let written = 0;
  return () => {
    const item_uid = itemOf((written += 1) % 20);
    const raw_outcome = written % 2 === 0 ? 'TRUE' : 'FALSE';
    return {
      method: 'POST',
      path: `/api/v1/cases/${desk.caseUid}/evidence`,
      body: {
        profile_uid: PROFILE,
        items: [{ item_uid }],
        outcomes: RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome })),
      },
    };
  };
}

interface Cost {
  server: number;
  database: number;
  ms: number;
}

/**
 * Sends requests of one kind, a few at a time, each of another desktop. Of several rounds the one
 * that took least: what else the machine did costs caches and clock.
 */
async function costOf(
  world: HostedWorld,
  server: Served,
  kinds: readonly (() => Sent)[],
  status: number,
): Promise<Cost> {
  let next = 0;
  const round = async (count: number): Promise<Cost> => {
    const times: number[] = [];
    const before = [server.child.pid!, world.postgres.pid].map(cpuSeconds);
    const end = next + count;
    const worker = async (): Promise<void> => {
      while (next < end) {
        const at = (next += 1) % kinds.length;
        const answer = await send(server, world.desks[at]!, agent, kinds[at]!());
        if (answer.status !== status) throw new Error(`answered ${answer.status}`);
        times.push(answer.ms);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const after = [server.child.pid!, world.postgres.pid].map(cpuSeconds);
    const each = (at: number): number => ((after[at]! - before[at]!) * 1_000) / count;
    return { server: each(0), database: each(1), ms: median(times) };
  };
  await round(WARM_UP);
  let least: Cost | undefined;
  for (let n = 0; n < ROUNDS; n += 1) {
    const cost = await round(REQUESTS);
    const sum = (one: Cost): number => one.server + one.database;
    if (least === undefined || sum(cost) < sum(least)) least = cost;
  }
  return least!;
}

/** Streams of events that are open and hear nothing: what each costs in a second. */
async function costOfStreams(
  world: HostedWorld,
  server: Served,
): Promise<{ opening: Omit<Cost, 'ms'>; idle: Omit<Cost, 'ms'>; count: number }> {
  const pids = [server.child.pid!, world.postgres.pid];
  const open: http.ClientRequest[] = [];
  const before = pids.map(cpuSeconds);
  for (const { key } of world.desks)
    await Promise.all(
      Array.from({ length: STREAMS_OF_DESK }, async () => {
        const request = http.get(`${server.url}/api/v1/sync/events`, {
          agent: false,
          headers: { host: new URL(PUBLIC_URL).host, authorization: `Bearer ${key}` },
        });
        request.on('error', () => undefined);
        await new Promise((resolve, reject) =>
          request.once('error', reject).once('response', (response) => {
            if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
            resolve(response.resume());
          }),
        );
        open.push(request);
      }),
    );
  const opened = pids.map(cpuSeconds);
  await wait(WATCHED_S * 1_000);
  const watched = pids.map(cpuSeconds);
  for (const request of open) request.destroy();
  const count = open.length;
  const ms = (from: number[], to: number[], at: number): number =>
    ((to[at]! - from[at]!) * 1_000) / count;
  return {
    count,
    opening: { server: ms(before, opened, 0), database: ms(before, opened, 1) },
    idle: {
      server: ms(opened, watched, 0) / WATCHED_S,
      database: ms(opened, watched, 1) / WATCHED_S,
    },
  };
}

/** Bytes of the database's files, without the log of PostgreSQL. */
async function sizeOf({ owner }: HostedWorld): Promise<number> {
  const client = new pg.Client({ connectionString: owner });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database())::text AS bytes',
    );
    return Number(rows[0]!.bytes);
  } finally {
    await client.end();
  }
}

const row = (what: string, { server, database }: Omit<Cost, 'ms'>, compared: string): Figure => ({
  what,
  ours: `server ${server.toFixed(3)} ms, PostgreSQL ${database.toFixed(3)} ms`,
  floor: '',
  compared,
  gate: '',
  met: true,
});

export async function costRows(world: HostedWorld, folder: string): Promise<Figure[]> {
  const env = {
    ...world.env,
    EVIDENCE_STUDIO_RATE_LIMIT: '100000/100000/100000/100000',
    EVIDENCE_STUDIO_TRUSTED_PROXIES: '127.0.0.1',
  };
  const server = await startInstance({ env }, folder);
  const { desks } = world;
  let grown = 0;
  const get = (path: (desk: Desk) => string, headers: readonly string[] = []) =>
    desks.map((desk, n) => () => ({
      method: 'GET',
      path: path(desk),
      ...(headers[n] !== undefined && { headers: { 'if-none-match': headers[n] } }),
    }));
  try {
    const pushes = desks.map((desk, n) => editor(desk, n % 20));
    const kinds: [string, () => Promise<Cost>][] = [
      [PUSH, () => costOf(world, server, pushes, 200)],
      [
        'its page of changes, read by another desktop',
        () =>
          costOf(
            world,
            server,
            get(({ caseUid }) => `/api/v1/sync/cases/${caseUid}/changes?after=${PUSHED}`),
            200,
          ),
      ],
      [
        'handshake',
        () =>
          costOf(
            world,
            server,
            get(() => '/api/v1/sync/hello'),
            200,
          ),
      ],
      [
        'where the logs stand',
        () =>
          costOf(
            world,
            server,
            get(() => '/api/v1/sync/cases'),
            200,
          ),
      ],
      [
        'the same, unchanged',
        async () => {
          const tags: string[] = [];
          for (const desk of desks)
            tags.push(
              (await send(server, desk, agent, { method: 'GET', path: '/api/v1/sync/cases' }))
                .headers.etag ?? '',
            );
          return costOf(
            world,
            server,
            get(() => '/api/v1/sync/cases', tags),
            304,
          );
        },
      ],
      [
        'an agent reads the evidence of 20 items',
        () =>
          costOf(
            world,
            server,
            get(({ caseUid }) => `/api/v1/cases/${caseUid}/evidence?profile_uid=${PROFILE}`),
            200,
          ),
      ],
      [
        'an agent writes an item',
        () =>
          costOf(
            world,
            server,
            desks.map((desk) => agentWrite(desk)),
            200,
          ),
      ],
    ];
    const rows: Figure[] = [];
    for (const [what, measure] of kinds) {
      const size = await sizeOf(world);
      const cost = await measure();
      if (what === PUSH) grown = (await sizeOf(world)) - size;
      rows.push(row(what, cost, `p50 ${cost.ms.toFixed(1)} ms, ${AT_ONCE} at a time`));
    }
    const { count, opening, idle } = await costOfStreams(world, server);
    const streams = `${thousands(count)} streams`;
    return [
      ...rows,
      row('an event stream opened', opening, streams),
      row('an event stream open for a second, hearing nothing', idle, streams),
      {
        what: 'disk for a pushed change of one entry, indexes included',
        ours: `${thousands(grown / (WARM_UP + ROUNDS * REQUESTS))} bytes`,
        floor: '',
        compared: '',
        gate: '',
        met: true,
      },
    ];
  } finally {
    agent.destroy();
    await server.kill('SIGTERM');
  }
}
