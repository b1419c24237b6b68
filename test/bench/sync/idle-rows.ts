import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UplinkDiagnostics } from '../../../src/shared/contract/v1/uplink.ts';
import { call, makeKey, serve } from '../../support/served.ts';
import { prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, temporary } from '../measure.ts';
import { bytes, CONSTANT, milliseconds, type Point, scaled } from './growth.ts';
import type { Wire } from './wire.ts';
import { cpuOf, share, startHosted, startStudio, untilEqual } from './studios.ts';

const CASES = [10, 100, 1_000] as const;
const ROUNDS = 9;
const ASKED = 20;
const QUIET_MS = 5_000;

/**
 * CPU time of the server for the request that an idle studio repeats, while nothing has moved; no
 * other machine's or process's time is in it.
 */
async function idleRequest(cases: number): Promise<number> {
  return temporary(async (folder) => {
    const key = await makeKey(folder);
    const server = await serve(folder);
    try {
      await prepareCase(server.url, key);
      const { body } = await call(server.url, key, 'GET', '/api/v1/projects');
      for (let made = 1; made < cases; made += 1)
        await call(server.url, key, 'POST', '/api/v1/cases', {
          project_id: body.data[0].project_id,
          case_uid: `case_${made}`,
        });
      const ask = (etag: string) =>
        fetch(`${server.url}/api/v1/sync/cases`, {
          headers: { authorization: `Bearer ${key}`, 'if-none-match': etag },
        });
      const etag = (await ask('"none"')).headers.get('etag') ?? '';
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = cpuOf(server.child.pid!);
        for (let asked = 0; asked < ASKED; asked += 1)
          if ((await ask(etag)).status !== 304) throw new Error('Something moved.');
        times.push((cpuOf(server.child.pid!) - before) / ASKED);
      }
      return median(times);
    } finally {
      await server.kill('SIGTERM');
    }
  });
}

/** Waits until nothing has crossed the wire for a while: what connecting takes is not idleness. */
async function untilQuiet({ bytes: crossed }: Wire): Promise<void> {
  for (let before = -1; before !== crossed.up; await sleep(QUIET_MS)) before = crossed.up;
}

/**
 * A connected studio in which nothing happens, watched from now until its figures are asked for.
 */
export async function watchIdle(): Promise<() => Promise<Figure[]>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'evidence-bench-idle-'));
  const hosted = await startHosted(folder);
  const studio = await startStudio(path.join(folder, 'studio'));
  await prepareCase(studio.server.url, studio.key);
  await share(studio, hosted);
  await untilEqual(studio, 'bench', 1);
  const sent = async (): Promise<number> =>
    (await studio.person<UplinkDiagnostics>('GET', '/api/v1/uplink/diagnostics')).requests.sent;
  await untilQuiet(hosted.wire);
  const before = await sent();
  hosted.wire.reset();
  const began = performance.now();
  return async () => {
    const minutes = (performance.now() - began) / 60_000;
    const asked = (await sent()) - before;
    const requests = asked / minutes;
    // By the request: how many fall into the time that was watched is a matter of its ends.
    const traffic = (hosted.wire.bytes.up + hosted.wire.bytes.down) / asked;
    await studio.server.kill('SIGTERM');
    await hosted.stop();
    await hosted.wire.close();
    await rm(folder, { recursive: true, force: true });
    const points: Point[] = [];
    for (const cases of CASES) points.push({ size: cases, value: await idleRequest(cases) });
    return [
      {
        what: 'T8 requests of an idle studio to its hosted server, a minute',
        ours: `${requests.toFixed(1)}, ${bytes(traffic)} each with its share of the event stream`,
        floor: '',
        compared: `watched for ${minutes.toFixed(1)} minutes`,
        gate: 'at most 1.5 a minute, 1 KB each',
        met: requests <= 1.5 && traffic <= 1_024,
      },
      scaled({
        what: "T8 server's CPU time for that request, with N cases",
        points,
        write: milliseconds,
        target: 1,
        grows: CONSTANT,
      }),
    ];
  };
}
