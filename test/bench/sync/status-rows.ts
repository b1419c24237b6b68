import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { call } from '../../support/served.ts';
import { fillCase, prepareCase, PROFILE_UID } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, temporary, time } from '../measure.ts';
import { bytes, CONSTANT, exponentOf, list, milliseconds, type Point } from './growth.ts';
import { share, startHosted, startStudio, type Studio, untilEqual } from './studios.ts';

const RUNS = [1, 1_000, 100_000];
const ASKED = 60;
const WARM = 10;

/** Copies the one run of a data folder so many times. */
function addRuns(data: string, count: number): void {
  using db = new DatabaseSync(path.join(data, 'evidence.sqlite'));
  db.exec(`BEGIN;
    INSERT INTO runs (account, run_pk, run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, entry, created_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT account, run_pk + i, run_uid || '-' || i, case_uid, project_id, profile_uid, profile_version, content_hash,
        json_set(entry, '$.run_uid', run_uid || '-' || i), created_at FROM n, runs;
    UPDATE run_counts SET runs = runs + ${count};
    COMMIT`);
}

/** Until neither side lacks a run. */
async function untilSent(studio: Studio): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { links } = await studio.person('GET', '/api/v1/uplink');
    const link = links.find(({ stream }) => stream === 'bench');
    if (link?.state === 'equal' && link.runs_lacking === 0 && link.runs_waiting === 0) return;
    await wait(100);
  }
  throw new Error(JSON.stringify((await studio.person('GET', '/api/v1/uplink')).links));
}

interface Measured {
  status: number;
  session: number;
  bytes: number;
}

async function measure(folder: string, runs: number): Promise<Measured> {
  mkdirSync(folder);
  const data = path.join(folder, 'studio');
  const hosted = await startHosted(folder);
  let studio = await startStudio(data);
  try {
    await prepareCase(studio.server.url, studio.key);
    await fillCase(studio.server.url, studio.key, 1);
    await share(studio, hosted);
    await untilEqual(studio, 'bench', 1);
    const made = await call(studio.server.url, studio.key, 'POST', '/api/v1/runs', {
      case_uid: 'bench',
      profile_uid: PROFILE_UID,
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    await untilSent(studio);
    await studio.server.kill('SIGTERM');
    await hosted.stop();
    for (const one of [data, hosted.data]) addRuns(one, runs);
    await hosted.start();
    studio = await startStudio(data);
    await untilSent(studio);
    const times = { status: [] as number[], session: [] as number[] };
    let size = 0;
    for (let asked = -WARM; asked < ASKED; asked += 1) {
      const status = await time(async () => {
        size = JSON.stringify(await studio.person('GET', '/api/v1/uplink')).length;
      });
      const session = await time(() => studio.person('GET', '/api/v1/session'));
      if (asked < 0) continue;
      times.status.push(status);
      times.session.push(session);
    }
    return { status: median(times.status), session: median(times.session), bytes: size };
  } finally {
    await studio.server.kill('SIGTERM');
    await hosted.stop();
    await hosted.wire.close();
  }
}

/** What every page of a connected studio asks for, beside runs that both sides have. */
export async function statusRows(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const found: Measured[] = [];
    for (const runs of RUNS) found.push(await measure(path.join(folder, String(runs)), runs));
    const points = (of: keyof Measured): Point[] =>
      RUNS.map((size, level) => ({ size, value: found[level]![of] }));
    const [times, sizes] = [points('status'), points('bytes')];
    const [slower, larger] = [exponentOf(times), exponentOf(sizes)];
    const [most, floor] = [times.at(-1)!.value, points('session').at(-1)!.value];
    return [
      {
        what: 'the sync status of a connected studio, beside N runs that both sides have, p50',
        ours: `${list(times, milliseconds)}; exponent ${slower.toFixed(2)}`,
        floor: `${milliseconds(floor)}, the session, beside the most`,
        compared: `${(most / floor).toFixed(2)} times; bytes of the answer ${list(sizes, bytes)}, exponent ${larger.toFixed(2)}`,
        gate: `exponent of time and bytes at most ${CONSTANT}`,
        met: slower <= CONSTANT && larger <= CONSTANT,
      },
    ];
  });
}
