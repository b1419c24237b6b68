import { ofOwnAccount } from '../../support/own-account.ts';
import path from 'node:path';
import { openData } from '../../../src/server/open-data.ts';
import { createHostedClient, type HostedClient } from '../../../src/server/uplink/client.ts';
import { sendRun } from '../../../src/server/uplink/runs.ts';
import { putBlobs } from '../../../src/shared/contract/sync-runs.ts';
import { blobsOf, RunManifest } from '../../../src/shared/domain/run-manifest.ts';
import { call, makeKey, serve, type Served } from '../../support/served.ts';
import { studioKeyIn } from '../../support/studio-key.ts';
import { PROFILE_UID, prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, temporary, time } from '../measure.ts';
import { changesOf, evidenceOf, RULES, SIZES } from './changes.ts';
import { syncClient } from './client.ts';
import { bytes, LINEAR, list, milliseconds, type Point, scaled } from './growth.ts';
import type { RunUid } from '../../../src/shared/contract/ids.ts';
import { asRun } from '../../support/ids.ts';

const TURNS = 3;

interface Measured {
  freeze: number;
  verify: number;
  whole: Sent;
  again: Sent;
}

/** What sending a run took, and the names of all its blobs. */
interface Sent {
  bytes: number;
  blobs: number;
  names: readonly string[];
}

interface Run {
  run_uid: RunUid;
  content_hash: string;
}
async function freeze(server: Served, key: string): Promise<Run> {
  const { status, body } = await call(server.url, key, 'POST', '/api/v1/runs', {
    case_uid: 'bench',
    profile_uid: PROFILE_UID,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** Bodies and requests of sending a run, from the store of one server to another. */
async function send(
  data: string,
  target: { url: string; key: string },
  { run_uid, content_hash }: Run,
): Promise<Sent> {
  await using opened = await openData(data);
  const traffic = { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 };
  const client = createHostedClient(
    { origin: target.url, key: target.key, gzip: true },
    { fetch, traffic },
  );
  let blobs = 0;
  const counting: HostedClient = {
    ...client,
    call: (endpoint, input) => {
      if (endpoint.id === putBlobs.id) blobs += (input!.body as { blobs: unknown[] }).blobs.length;
      return client.call(endpoint, input);
    },
  };
  const store = ofOwnAccount(opened.store);
  const sent = await sendRun(counting, store, run_uid);
  if (sent.kind !== 'done') throw new Error(JSON.stringify(sent));
  const { manifest } = (await store.read((reader) =>
    reader.runs.describe(store.local.account_id, content_hash, { run_uid, verify: false }),
  ))!;
  return {
    bytes: traffic.bytes_out + traffic.bytes_in,
    blobs,
    names: blobsOf(RunManifest.parse(JSON.parse(manifest!))),
  };
}

async function measure(size: number): Promise<Measured> {
  return temporary(async (folder) => {
    const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
    const keys = [await makeKey(from), await studioKeyIn(to)] as const;
    const ownKey = await studioKeyIn(from);
    const servers = [await serve(from), await serve(to)] as const;
    const [server] = servers;
    const [key] = keys;
    try {
      await prepareCase(server.url, key);
      await syncClient(server.url, ownKey).sendAll(
        'bench',
        changesOf('bench', 'usr_bench', 0, size, 2_000),
      );
      const freezes: number[] = [];
      const verifies: number[] = [];
      let run: Run = { run_uid: asRun(''), content_hash: '' };
      for (let turn = 0; turn < TURNS; turn += 1) {
        freezes.push(await time(async () => void (run = await freeze(server, key))));
        verifies.push(
          await time(async () => {
            const { body } = await call(
              server.url,
              key,
              'GET',
              `/api/v1/sync/runs/${run.content_hash}?verify=1`,
            );
            if (
              body.verification?.integrity?.ok !== true ||
              body.verification.reproducibility?.ok !== true
            )
              throw new Error(JSON.stringify(body.verification));
          }),
        );
      }
      const target = { url: servers[1].url, key: keys[1] };
      const whole = await send(from, target, run);
      await call(
        server.url,
        key,
        'POST',
        '/api/v1/evidence',
        evidenceOf(Math.max(RULES, size / 100)),
      );
      const again = await send(from, target, await freeze(server, key));
      return { freeze: median(freezes), verify: median(verifies), whole, again };
    } finally {
      await Promise.all(servers.map((one) => one.kill('SIGTERM')));
    }
  });
}

/** Frozen runs: made, verified, and sent again after a hundredth of the items changed. */
export async function runRows(): Promise<Figure[]> {
  const measured = new Map<number, Measured>();
  for (const size of SIZES) measured.set(size, await measure(size));
  const points = (read: (found: Measured) => number): Point[] =>
    SIZES.map((size) => ({ size, value: read(measured.get(size)!) }));
  const all = [...measured.values()];
  const differing = all.map(
    ({ whole, again }) => again.names.filter((name) => !whole.names.includes(name)).length,
  );
  return [
    scaled({
      what: 'T11 freeze a run of N cells, on the server',
      points: points((found) => found.freeze),
      write: milliseconds,
      target: 2_000,
      grows: LINEAR,
    }),
    scaled({
      what: 'T11 verify it as stored: hashes and recomputed result',
      points: points((found) => found.verify),
      write: milliseconds,
      target: 2_000,
      grows: LINEAR,
    }),
    {
      what: 'T12 bytes of sending it again, 1 % of the items changed',
      ours: list(
        points((found) => found.again.bytes),
        bytes,
      ),
      floor: `whole: ${list(
        points((found) => found.whole.bytes),
        bytes,
      )}`,
      compared: `chunks sent: ${all.map(({ whole, again }) => `${again.blobs} of ${whole.blobs}`).join(', ')}`,
      gate: `no chunk but those that differ (${differing.join(', ')})`,
      met: all.every(({ again }, at) => again.blobs === differing[at]),
    },
  ];
}
