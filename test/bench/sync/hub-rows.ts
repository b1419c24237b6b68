import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { call } from '../../support/served.ts';
import { prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { temporary, time } from '../measure.ts';
import { changesOf, evidenceOf, SIZES } from './changes.ts';
import { syncClient } from './client.ts';
import { bytes, CONSTANT, LINEAR, list, milliseconds, type Point, scaled } from './growth.ts';
import { forgetPeak, peak, resident } from './memory.ts';
import { type Leg, measurePouchDb, type PeerFigures } from './pouchdb-peer.ts';
import {
  type Hosted,
  share,
  startHosted,
  startStudio,
  type Studio,
  syncNow,
  untilEqual,
} from './studios.ts';
import { OFFICE, type Speed } from './wire.ts';

/** A case in one studio, pushed to a hosted server and read by a second studio. */
interface Journey {
  push: Leg;
  pull: Leg;
  /** One cell in a hundred edited, pushed. */
  edits: Leg;
  /** Highest resident bytes of the two studios meanwhile. */
  peaks: [number, number];
  /** Only where the server was put back to what it was before the last hundredth came. */
  recovery: Leg | undefined;
}

async function legOf(studio: Studio, hosted: Hosted, work: () => Promise<unknown>): Promise<Leg> {
  hosted.wire.reset();
  const pid = studio.server.child.pid!;
  forgetPeak(pid);
  const before = resident(pid);
  const ms = await time(work);
  return { ms, bytes: hosted.wire.bytes.up + hosted.wire.bytes.down, memory: peak(pid) - before };
}

async function recover(
  first: Studio,
  hosted: Hosted,
  folder: string,
  cells: number,
  changes: number,
): Promise<Leg> {
  const kept = path.join(folder, 'kept');
  await hosted.stop();
  await cp(hosted.data, kept, { recursive: true });
  await hosted.start();
  await syncClient(first.server.url, first.key).sendAll(
    'bench',
    changesOf('bench', first.userId, cells, cells + cells / 100, 1),
  );
  await syncNow(first, 'bench', changes + cells / 100);
  await hosted.stop();
  await rm(hosted.data, { recursive: true });
  await cp(kept, hosted.data, { recursive: true });
  await hosted.start();
  return legOf(first, hosted, async () => {
    await syncNow(first, 'bench', changes + cells / 100);
  });
}

async function travel(
  cells: number,
  each: 1 | 2_000,
  { speed, restore = false }: { speed?: Speed; restore?: boolean },
): Promise<Journey> {
  return temporary(async (folder) => {
    const hosted = await startHosted(folder, speed);
    const first = await startStudio(path.join(folder, 'first'));
    const second = await startStudio(path.join(folder, 'second'));
    const changes = Math.ceil(cells / each);
    try {
      await prepareCase(first.server.url, first.key);
      const client = syncClient(first.server.url, first.key);
      await client.sendAll('bench', changesOf('bench', first.userId, 0, cells, each));
      const push = await legOf(first, hosted, async () => {
        await share(first, hosted);
        await untilEqual(first, 'bench', changes);
      });
      const pull = await legOf(second, hosted, async () => {
        await share(second, hosted);
        await untilEqual(second, 'bench', changes);
      });
      const peaks: [number, number] = [
        peak(first.server.child.pid!),
        peak(second.server.child.pid!),
      ];
      const edits = await legOf(first, hosted, async () => {
        const edited = await call(
          first.server.url,
          first.key,
          'POST',
          '/api/v1/evidence',
          evidenceOf(cells / 100),
        );
        if (edited.body.outcomes_written !== cells / 100)
          throw new Error(JSON.stringify(edited.body));
        await syncNow(first, 'bench', changes + 1);
      });
      const recovery = restore
        ? await recover(first, hosted, folder, cells, changes + 1)
        : undefined;
      return { push, pull, edits, peaks, recovery };
    } finally {
      await Promise.all([
        first.server.kill('SIGTERM'),
        second.server.kill('SIGTERM'),
        hosted.stop(),
      ]);
      await hosted.wire.close();
    }
  });
}

/** At least so many times as fast as the peer. */
const TIMES = 5;

/**
 * Two studios and a hosted server as processes: over the line that the targets speak of, and over
 * loopback beside PouchDB.
 */
export async function hubRows(): Promise<Figure[]> {
  const line = new Map<number, Journey>();
  const bare = new Map<number, Journey>();
  const peer = new Map<number, PeerFigures>();
  for (const size of SIZES) {
    line.set(size, await travel(size, 1, { speed: OFFICE, restore: true }));
    bare.set(size, await travel(size, 2_000, {}));
    peer.set(size, await measurePouchDb(size));
  }
  const points = <T>(from: ReadonlyMap<number, T>, read: (found: T) => number): Point[] =>
    SIZES.map((size) => ({ size, value: read(from.get(size)!) }));
  const largest = SIZES.at(-1)!;
  const beside = (what: string, read: (found: Pick<Journey, 'push' | 'pull'>) => Leg): Figure => {
    const [ours, theirs] = [
      points(bare, (found) => read(found).ms),
      points(peer, (found) => read(found).ms),
    ];
    const faster = theirs.at(-1)!.value / ours.at(-1)!.value;
    return scaled({
      what,
      points: ours,
      write: milliseconds,
      target: 5_000,
      grows: LINEAR,
      floor: `PouchDB: ${list(theirs, milliseconds)}`,
      compared: `${faster.toFixed(1)} times as fast at 100k`,
      also: { gate: `at least ${TIMES} times as fast as PouchDB`, met: faster >= TIMES },
    });
  };
  const sideBySide = (
    what: string,
    write: (value: number) => string,
    ours: (found: Journey) => number,
    theirs: (found: PeerFigures) => number,
    most?: number,
  ): Figure => {
    const [a, b] = [points(bare, ours), points(peer, theirs)];
    const least = a.at(-1)!.value;
    return {
      what,
      ours: list(a, write),
      floor: `PouchDB: ${list(b, write)}`,
      compared: `PouchDB's is ${(b.at(-1)!.value / least).toFixed(1)} times ours at 100k`,
      gate: most === undefined ? 'less than PouchDB' : `at most ${write(most)}`,
      met: least <= (most ?? b.at(-1)!.value),
    };
  };
  const least = line.get(SIZES[0])!;
  const growth = Math.max(
    line.get(largest)!.peaks[0] - least.peaks[0],
    line.get(largest)!.peaks[1] - least.peaks[1],
  );
  return [
    scaled({
      what: 'T1 first push of N changes of one entry to a hosted server (50 Mbit/s, 40 ms)',
      points: points(line, (found) => found.push.ms),
      write: milliseconds,
      target: 15_000,
      grows: LINEAR,
    }),
    scaled({
      what: 'T2 first pull of a case of N changes by a second studio (50 Mbit/s, 40 ms)',
      points: points(line, (found) => found.pull.ms),
      write: milliseconds,
      target: 15_000,
      grows: LINEAR,
    }),
    beside('T1 first push of N cells, 2,000 a change, over loopback', (found) => found.push),
    beside('T2 first pull of N cells, 2,000 a change, over loopback', (found) => found.pull),
    sideBySide(
      'one cell in a hundred edited: pushed and compared',
      milliseconds,
      (found) => found.edits.ms,
      (found) => found.edits.ms,
      1_000,
    ),
    sideBySide(
      'bytes of the first push',
      bytes,
      (found) => found.push.bytes,
      (found) => found.push.bytes,
    ),
    sideBySide(
      'bytes of the first pull',
      bytes,
      (found) => found.pull.bytes,
      (found) => found.pull.bytes,
    ),
    sideBySide(
      'memory that the first pull takes, over what was resident',
      bytes,
      (found) => found.pull.memory,
      (found) => found.pull.memory,
    ),
    scaled({
      what: 'T9 highest resident memory of a studio during T1 and T2',
      points: points(line, (found) => Math.max(...found.peaks)),
      write: bytes,
      target: 256 * 2 ** 20,
      grows: CONSTANT,
      also: {
        gate: `a hundred times the changes add at most 64 MiB (found ${bytes(growth)})`,
        met: growth <= 64 * 2 ** 20,
      },
    }),
    scaled({
      what: 'T15 recovery after the hosted server lost its last hundredth of N changes (50 Mbit/s, 40 ms)',
      points: points(line, (found) => found.recovery!.ms),
      write: milliseconds,
      target: 20_000,
      grows: LINEAR,
      compared: `${list(
        points(line, (found) => found.recovery!.bytes),
        bytes,
      )} on the wire`,
    }),
  ];
}
