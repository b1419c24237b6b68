import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { studioKeyIn } from '../../support/studio-key.ts';
import { makeKey, serve, type Served, serveWith } from '../../support/served.ts';
import { wireChange } from '../../support/sync-change.ts';
import { fillCase, prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { median, percentile, temporary, thousands, time } from '../measure.ts';
import { changesOf, firstEntry, SIZES } from './changes.ts';
import { syncClient } from './client.ts';
import { CONSTANT, milliseconds, type Point, scaled } from './growth.ts';

/** A case of so many changes of one entry; the last of them is the one before, ten times over. */
const MANY = [...SIZES, 1_000_000] as const;
const EDITS = 60;
const STARTS = 5;

const barePush = (folder: string): Promise<Served> =>
  serveWith(process.execPath, [
    path.join(import.meta.dirname, 'bare-push.ts'),
    path.join(folder, 'bare.sqlite'),
  ]);

/** Milliseconds from starting a server to its first answer. */
async function firstAnswer(start: () => Promise<Served>): Promise<number> {
  let server: Served | undefined;
  const taken = await time(async () => {
    server = await start();
    await (await fetch(`${server.url}/`)).text();
  });
  await server?.kill('SIGTERM');
  return taken;
}

async function medianOf(times: number, once: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let turn = 0; turn < times; turn += 1) all.push(await once());
  return median(all);
}

/** Single edits by turns with the floor, so that what else the machine does weighs on both. */
async function singleEdits(
  url: string,
  key: string,
  floorUrl: string,
  size: number,
): Promise<{ ours: number[]; floor: number[] }> {
  const client = syncClient(url, key);
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let edit = 0; edit < EDITS; edit += 1) {
    const batch = [wireChange('bench', 'usr_bench', [firstEntry(20 * size + edit)])];
    ours.push(await time(() => client.send('bench', batch)));
    const body = JSON.stringify({
      protocol: 1,
      changes: [wireChange('bench', 'usr_bench', [firstEntry(20 * size + edit)])],
    });
    floor.push(await time(async () => (await fetch(floorUrl, { method: 'POST', body })).text()));
  }
  // The first ones pay for compiling.
  return { ours: ours.slice(10), floor: floor.slice(10) };
}

function folderSize(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) =>
      sum + (entry.isFile() ? statSync(path.join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}

/**
 * Bytes on disk of 100,000 cells written by an agent, 10,000 a request; the server is closed before
 * they are counted.
 */
async function diskOf100k(): Promise<number> {
  return temporary(async (folder) => {
    const key = await makeKey(folder);
    const measure = async (requests: number): Promise<number> => {
      const server = await serve(folder);
      try {
        if (requests === 0) await prepareCase(server.url, key);
        else await fillCase(server.url, key, requests);
      } finally {
        await server.kill('SIGTERM');
      }
      return folderSize(folder);
    };
    const before = await measure(0);
    return (await measure(10)) - before;
  });
}

/**
 * Makes a log ten times as long, with copies of its changes under other names: what a start and one
 * edit meet is as large, in a tenth of the time.
 */
function lengthen(data: string): void {
  const database = new DatabaseSync(path.join(data, 'evidence.sqlite'));
  const columns = database
    .prepare('PRAGMA table_info(changes)')
    .all()
    .map((row) => String(row['name']));
  const { stream, length } = database
    .prepare("SELECT stream_pk AS stream, seq AS length FROM streams WHERE name = 'bench'")
    .get() as { stream: number; length: number };
  const values = columns.map((name) =>
    name === 'seq'
      ? 'seq + ?'
      : name === 'change_id'
        ? "'c1_' || substr(hex(randomblob(22)), 1, 43)"
        : name,
  );
  const copy = database.prepare(
    `INSERT INTO changes (${columns.join(', ')}) SELECT ${values.join(', ')} FROM changes WHERE stream_pk = ? AND seq <= ?`,
  );
  database.exec('BEGIN');
  for (let times = 1; times < 10; times += 1) copy.run(times * length, stream, length);
  database
    .prepare('UPDATE streams SET seq = ?, count = ? WHERE stream_pk = ?')
    .run(10 * length, 10 * length, stream);
  database.exec('COMMIT');
  database.close();
}

/** What a server does alone: one edit into a long log, and starting on one. */
export async function serverRows(): Promise<Figure[]> {
  const edits: Point[] = [];
  const starts: Point[] = [];
  let slowest = 0;
  let floor: number[] = [];
  let rate = 0;
  let floorStart = Number.NaN;
  await temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await studioKeyIn(data);
    let filled = 0;
    for (const size of MANY) {
      if (size === MANY.at(-1)) lengthen(data);
      const server = await serve(data);
      const bare = await barePush(folder);
      try {
        if (filled === 0) await prepareCase(server.url, key);
        if (size !== MANY.at(-1)) {
          const sent = await time(() =>
            syncClient(server.url, key).sendAll(
              'bench',
              changesOf('bench', 'usr_bench', filled, size, 1),
            ),
          );
          rate = (size - filled) / (sent / 1_000);
          filled = size;
        }
        const times = await singleEdits(server.url, key, bare.url, size);
        edits.push({ size, value: median(times.ours) });
        slowest = percentile(times.ours, 95);
        floor = times.floor;
      } finally {
        await server.kill('SIGTERM');
        await bare.kill('SIGTERM');
      }
      starts.push({ size, value: await medianOf(STARTS, () => firstAnswer(() => serve(data))) });
    }
    floorStart = await medianOf(STARTS, () =>
      firstAnswer(() => barePush(path.join(folder, 'data'))),
    );
  });
  const disk = await diskOf100k();
  return [
    scaled({
      what:
        'T6 push of one change into a case of N changes, all-in (p95 at 1M: ' +
        `${milliseconds(slowest)}; filled at ${thousands(rate)} changes/s)`,
      points: edits,
      write: milliseconds,
      target: 25,
      grows: CONSTANT,
      floor: `${milliseconds(median(floor))}, bare handler: parse, hash, one insert`,
      compared: `${(edits.at(-1)!.value / median(floor)).toFixed(1)} times its time`,
    }),
    scaled({
      what: 'T13 cold start on N changes, process start to first answer',
      points: starts,
      write: milliseconds,
      target: 500,
      grows: CONSTANT,
      floor: `${milliseconds(floorStart)}, bare server on SQLite`,
    }),
    {
      what: 'disk for 100,000 cells, 10,000 a request, log and indexes included',
      ours: `${(disk / 1e6).toFixed(1)} MB, ${(disk / 100_000).toFixed(0)} bytes a cell`,
      floor: '',
      compared: '',
      gate: 'at most 25 MB',
      met: disk <= 25e6,
    },
  ];
}
