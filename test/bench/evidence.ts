import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { call, makeKey, serve, serveWith } from '../support/served.ts';
import type { Figure } from './figure.ts';
import { median, temporary, thousands, time } from './measure.ts';

const RULES = 50;
const ITEMS_A_REQUEST = 200;
const REQUESTS = 50;
const A_TURN = 5;
const CELLS_A_REQUEST = RULES * ITEMS_A_REQUEST;
const STATES = ['FALSE', 'TRUE', 'NA'] as const;
export const PROFILE_UID = 'bench_profile';
export const OTHER_CASE = 'other';

export function benchProfile(): unknown {
  const words = {
    description: 'A rule of the benchmark.',
    evidenceMeaning: 'Present.',
    problemMeaning: 'Problem.',
    notAvailableMeaning: 'Not available.',
  };
  return {
    name: 'Benchmark',
    profileUid: PROFILE_UID,
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'Fifty rules.',
    scope: 'Benchmarks.',
    maintainer: 'Evidence Studio',
    rules: Array.from({ length: RULES }, (_, i) => ({
      ruleOrder: i + 1,
      ruleUid: `rule_number_${i + 1}`,
      name: `Rule ${i + 1}`,
      ...words,
    })),
  };
}

/** What each cell says besides its outcome. */
type Detail = 'outcomes alone' | 'with source and note';
const sourceOf = (row: number, column: number): string =>
  `page ${row}, table ${column}: 12.5 ng/mL`;
const noteOf = (row: number, column: number): string =>
  `Read by the agent from row ${row}, column ${column}.`;

function batch(request: number, { shift, caseUid, detail }: Required<Filling>): string {
  const items = Array.from({ length: ITEMS_A_REQUEST }, (_, i) => {
    const row = request * ITEMS_A_REQUEST + i;
    return {
      item_uid: `item_${String(row).padStart(6, '0')}`,
      evidence: Array.from({ length: RULES }, (_, j) => ({
        rule_uid: `rule_number_${j + 1}`,
        raw_outcome: STATES[(row + j + shift) % 3]!,
        ...(detail === 'with source and note' && {
          source_value: sourceOf(row, j),
          notes: noteOf(row, j),
        }),
      })),
    };
  });
  return JSON.stringify({ case_uid: caseUid, profile_uid: PROFILE_UID, items });
}

export async function prepareCase(url: string, key: string): Promise<void> {
  await call(url, key, 'POST', '/api/v1/profiles', benchProfile());
  const project = await call(url, key, 'POST', '/api/v1/projects', { name: 'Benchmark' });
  for (const case_uid of ['bench', OTHER_CASE]) {
    const made = await call(url, key, 'POST', '/api/v1/cases', {
      project_id: project.body.project_id,
      case_uid,
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
}

interface Filling {
  shift?: number;
  from?: number;
  caseUid?: string;
  detail?: Detail;
}

/**
 * Fills the case with `requests` x 10,000 cells, after the first `from` requests; returns the
 * milliseconds of each request.
 */
export async function fillCase(
  url: string,
  key: string,
  requests: number,
  { shift = 0, from = 0, caseUid = 'bench', detail = 'outcomes alone' }: Filling = {},
): Promise<number[]> {
  const times: number[] = [];
  for (let request = from; request < from + requests; request++) {
    const body = batch(request, { shift, from, caseUid, detail });
    times.push(
      await time(async () => {
        const answer = await call(url, key, 'POST', '/api/v1/evidence', body);
        if (answer.status !== 200 || answer.body.outcomes_written !== CELLS_A_REQUEST)
          throw new Error(JSON.stringify(answer.body));
      }),
    );
  }
  return times;
}

/** The pragmas of the store, read back from its own file so that the floor pays the same. */
function bareDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    `PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA fullfsync=1;
      PRAGMA checkpoint_fullfsync=1; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;
      PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;
      PRAGMA secure_delete=ON; PRAGMA journal_size_limit=67108864`,
  );
  database.exec(
    `CREATE TABLE cells (case_uid TEXT NOT NULL, profile_uid TEXT NOT NULL,
      item_uid TEXT NOT NULL, rule_uid TEXT NOT NULL, raw_outcome TEXT,
      source_value TEXT, notes TEXT, provenance TEXT, updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL, revision INTEGER NOT NULL,
      PRIMARY KEY (case_uid, profile_uid, item_uid, rule_uid)) STRICT, WITHOUT ROWID`,
  );
  return database;
}

/**
 * The floor of a write: the same rows by one prepared statement, one transaction a request.
 * Milliseconds of each.
 */
function bareInserts(
  database: DatabaseSync,
  requests: number,
  from: number,
  detail: Detail,
): number[] {
  const isDetailed = detail === 'with source and note';
  const insert = database.prepare('INSERT INTO cells VALUES (?,?,?,?,?,?,?,?,?,?,?)');
  const times: number[] = [];
  for (let request = from; request < from + requests; request++) {
    const began = performance.now();
    database.exec('BEGIN IMMEDIATE');
    for (let i = 0; i < ITEMS_A_REQUEST; i++) {
      const row = request * ITEMS_A_REQUEST + i;
      const item = `item_${String(row).padStart(6, '0')}`;
      for (let j = 0; j < RULES; j++)
        insert.run(
          'bench',
          PROFILE_UID,
          item,
          `rule_number_${j + 1}`,
          STATES[(row + j) % 3]!,
          isDetailed ? sourceOf(row, j) : null,
          isDetailed ? noteOf(row, j) : null,
          null,
          '2026-11-20T00:00:00.000Z',
          'local',
          1,
        );
    }
    database.exec('COMMIT');
    times.push(performance.now() - began);
  }
  return times;
}

interface Page {
  url: string;
  headers: Record<string, string>;
}

/** Medians of two pages read by turns, so that what else the machine does weighs on both. */
async function getTimes(first: Page, second: Page): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < 70; i++) {
    for (const [index, { url, headers }] of [first, second].entries()) {
      const taken = await time(async () => {
        const response = await fetch(url, { headers });
        if (response.status !== 200) throw new Error(String(response.status));
        await response.arrayBuffer();
      });
      if (i >= 10) times[index]?.push(taken);
    }
  }
  return [median(times[0]), median(times[1])];
}

export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

interface Pace {
  ours: number[];
  bare: number[];
}

/** Requests and bare inserts by turns, so that what else the machine does weighs on both. */
async function fillBoth(
  url: string,
  key: string,
  database: DatabaseSync,
  detail: Detail,
): Promise<Pace> {
  const pace: Pace = { ours: [], bare: [] };
  for (let from = 0; from < REQUESTS; from += A_TURN) {
    pace.ours.push(...(await fillCase(url, key, A_TURN, { from, detail })));
    pace.bare.push(...bareInserts(database, A_TURN, from, detail));
  }
  return pace;
}

function paceFigure(what: string, { ours, bare }: Pace, least: number): Figure {
  const rate = CELLS_A_REQUEST / (median(ours) / 1_000);
  const floor = CELLS_A_REQUEST / (median(bare) / 1_000);
  return {
    what,
    ours: `${thousands(rate)} cells/s`,
    floor: `${thousands(floor)} cells/s, bare insert of the same rows`,
    compared: `${((100 * rate) / floor).toFixed(0)} %`,
    gate: `at least ${100 * least} %`,
    met: rate / floor >= least,
  };
}

/** The same with a source value and a note in each cell, in a store of its own. */
async function detailedFigure(): Promise<Figure> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await serve(data);
    const database = bareDatabase(path.join(folder, 'bare.sqlite'));
    try {
      await prepareCase(server.url, key);
      return paceFigure(
        'the same where each cell also has a source value and a note',
        await fillBoth(server.url, key, database, 'with source and note'),
        0.3,
      );
    } finally {
      database.close();
      await server.kill('SIGTERM');
    }
  });
}

export async function evidenceBench(): Promise<Figure[]> {
  const detailed = await detailedFigure();
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await serve(data);
    try {
      await prepareCase(server.url, key);
      const database = bareDatabase(path.join(folder, 'bare.sqlite'));
      const { ours, bare } = await fillBoth(server.url, key, database, 'outcomes alone');
      const growth = median(ours.slice(-10)) / median(ours.slice(5, 15));
      const resident = await residentMiB(server.child.pid ?? 0);
      const page = {
        url: `${server.url}/api/v1/cases/bench/evidence?profile_uid=${PROFILE_UID}&limit=200`,
        headers: { authorization: `Bearer ${key}` },
      };
      const bareServer = await serveWith(process.execPath, [
        fileURLToPath(import.meta.resolve('./bare-server.ts')),
        path.join(folder, 'bare.sqlite'),
        PROFILE_UID,
        'item_000200',
      ]);
      const [read, bareRead] = await getTimes(page, {
        url: `${bareServer.url}/cells`,
        headers: {},
      });
      await bareServer.kill('SIGTERM');
      database.close();
      return [
        paceFigure(
          'POST evidence, 10,000 cells a request, change log included',
          { ours, bare },
          0.5,
        ),
        detailed,
        {
          what: 'the same, requests 41 to 50 beside 6 to 15 (growth with size)',
          ours: `${growth.toFixed(2)} times`,
          floor: `${(median(bare.slice(-10)) / median(bare.slice(5, 15))).toFixed(2)} times, bare insert`,
          compared: '',
          gate: 'at most 1.5 times',
          met: growth <= 1.5,
        },
        {
          what: 'server memory after 500,000 cells',
          ours: `${resident.toFixed(0)} MiB resident`,
          floor: '',
          compared: '',
          gate: 'under 200 MB',
          met: resident * 1.048576 < 200,
        },
        {
          what: 'GET evidence of 10,000 cells',
          ours: `${read.toFixed(1)} ms`,
          floor: `${bareRead.toFixed(1)} ms, bare handler: one query, JSON.stringify`,
          compared: `${((100 * bareRead) / read).toFixed(0)} % of its throughput`,
          gate: 'at least 40 %',
          met: bareRead / read >= 0.4,
        },
      ];
    } finally {
      await server.kill('SIGTERM');
    }
  });
}
