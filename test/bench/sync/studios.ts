import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { studioKeyIn } from '../../support/studio-key.ts';
import { BIN, cli, serve, type Served, serveWith } from '../../support/served.ts';
import { freePort, layWire, type Speed, type Wire } from './wire.ts';

/** CPU time of a process's main thread in ms: what it worked, whatever else the machine did. */
export function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** A hosted server behind a wire, whose address is the one its users know. */
export interface Hosted {
  data: string;
  key: string;
  wire: Wire;
  server: Served;
  stop(): Promise<void>;
  start(): Promise<void>;
}
export async function startHosted(folder: string, speed?: Speed): Promise<Hosted> {
  const data = path.join(folder, 'hosted');
  const wire = await layWire(speed);
  const key = await studioKeyIn(data);
  const port = await freePort();
  wire.to(`http://127.0.0.1:${port}`);
  const run = (): Promise<Served> =>
    serveWith(process.execPath, [BIN, 'serve', '--port', String(port), '--data', data], {
      EVIDENCE_STUDIO_PUBLIC_URL: wire.url.replace('http:', 'https:'),
    });
  const hosted: Hosted = {
    data,
    key,
    wire,
    server: await run(),
    async stop() {
      await hosted.server.kill('SIGTERM');
    },
    async start() {
      hosted.server = await run();
    },
  };
  return hosted;
}

/** A studio on a person's computer, without its window. */
export interface Studio {
  data: string;
  key: string;
  userId: string;
  server: Served;
  /** A call of the person's own session. */
  person<T = UplinkStatus>(method: string, path: string, body?: unknown): Promise<T>;
}
export async function startStudio(data: string): Promise<Studio> {
  const key = await studioKeyIn(data);
  const server = await serve(data);
  const link = (await cli(['sign-in', '--data', data])).trim();
  const cookie = (await fetch(link, { redirect: 'manual' })).headers
    .get('set-cookie')
    ?.split(';')[0];
  if (cookie === undefined) throw new Error('Signing in failed.');
  async function person<T>(method: string, target: string, body?: unknown): Promise<T> {
    const response = await fetch(server.url + target, {
      method,
      headers: {
        cookie: cookie!,
        origin: server.url,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T;
    if (!response.ok)
      throw new Error(`${method} ${target}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
  const session = await person<{ user: { user_id: string } }>('GET', '/api/v1/session');
  return { data, key, server, userId: session.user.user_id, person };
}

/** Connects a studio and shares the one project that either side has. */
export async function share(studio: Studio, hosted: Hosted): Promise<void> {
  let status = await studio.person('PUT', '/api/v1/uplink', {
    url: hosted.wire.url,
    key: hosted.key,
  });
  for (let tries = 0; status.projects.length === 0 && tries < 250; tries += 1) {
    await wait(20);
    status = await studio.person('GET', '/api/v1/uplink');
  }
  const [project] = status.projects;
  if (project === undefined)
    throw new Error(`There is no project to share: ${JSON.stringify(status)}`);
  await studio.person('PUT', `/api/v1/uplink/projects/${project.project_id}`, { shared: true });
}

/** Until the case stands equal on both sides with at least so many changes read. */
export async function untilEqual(
  studio: Studio,
  caseUid: string,
  seq: number,
  verifiedSince = 0,
): Promise<void> {
  const last = performance.now() + 180_000;
  for (;;) {
    const status = await studio.person('GET', '/api/v1/uplink');
    const link = status.links.find(({ stream }) => stream === caseUid);
    if (
      link?.state === 'equal' &&
      link.waiting === 0 &&
      link.pull_seq >= seq &&
      Date.parse(link.verified_at ?? '') >= verifiedSince
    )
      return;
    if (performance.now() > last)
      throw new Error(
        `Not equal after three minutes: ${JSON.stringify({ ...status, projects: undefined })}`,
      );
    await wait(50);
  }
}
/**
 * Asks for an exchange after something has happened on either side, and waits until they were
 * compared after that.
 */
export async function syncNow(studio: Studio, caseUid: string, seq: number): Promise<void> {
  const asked = Date.now();
  await studio.person('POST', '/api/v1/uplink/sync', {});
  await untilEqual(studio, caseUid, seq, asked);
}
