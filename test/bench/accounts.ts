import { mkdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../support/postgres.ts';
import type { Served } from '../support/served.ts';
import { ExplainedLog, pagesOf, strayed } from './accounts/explained.ts';
import { CASES, CELLS, type Level, makeLevel, OPERATIONS } from './accounts/level.ts';
import type { Figure } from './figure.ts';
import { median, temporary, thousands } from './measure.ts';
import { CONSTANT, exponentOf, list, milliseconds, type Point } from './sync/growth.ts';

/** 1,000 takes 25 GB of disk while it is filled, and a quarter of an hour. */
const MOST = Number(process.env.BENCH_ACCOUNTS ?? '100');
const LEVELS = [1, 10, 100, 1_000].filter((others) => others <= MOST);
const FILLING = [
  'shared_buffers=512MB',
  'max_wal_size=8GB',
  'maintenance_work_mem=256MB',
  'autovacuum=off',
  'checkpoint_timeout=30min',
];
/** So often a statement is asked for before PostgreSQL has settled for a plan. */
const WARM = 12;
const COUNTED = 5;
/** With fewer others PostgreSQL reads small tables whole, as it should. */
const SETTLED = 10;
const AT_FULL_SIZE = 1_000;
/**
 * An index of a hundred times the rows is a level or two deeper, and a table of one page was read
 * whole before it had one: so many times the pages, or so many more.
 */
const DEEPER = { times: 2, pages: 10 };
const ROUNDS = 60;

/** Pages that each operation reads, in the order of OPERATIONS. */
async function pagesAt(
  level: Level,
  log: ExplainedLog,
  postgres: Parameters<ExplainedLog['since']>[0],
  astray: Set<string>,
): Promise<number[]> {
  const found: number[] = [];
  await log.during(level.database, async () => {
    const server = await level.start();
    for (const { request } of OPERATIONS) {
      const counts: number[] = [];
      for (let n = 0; n < WARM + COUNTED; n += 1) {
        await log.since(postgres);
        await level.ask(server, ...request(n));
        const plans = await log.since(postgres);
        if (n < WARM) continue;
        counts.push(pagesOf(plans));
        if (level.others >= AT_FULL_SIZE) for (const what of strayed(plans)) astray.add(what);
      }
      found.push(median(counts));
    }
    await server.kill('SIGTERM');
  });
  return found;
}

/** Medians of each operation at each level, asked by turns. */
async function timesOf(levels: readonly Level[]): Promise<number[][]> {
  const servers: Served[] = [];
  for (const level of levels) servers.push(await level.start());
  const times = OPERATIONS.map(() => levels.map((): number[] => []));
  for (let round = -WARM; round < ROUNDS; round += 1) {
    for (const [o, { request }] of OPERATIONS.entries()) {
      for (const [l, level] of levels.entries()) {
        const ms = await level.ask(servers[l]!, ...request(round + WARM));
        if (round >= 0) times[o]![l]!.push(ms);
      }
    }
  }
  for (const server of servers) await server.kill('SIGTERM');
  return times.map((of) => of.map(median));
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/**
 * An account of 100 cases of 1,000 cells beside 1, 10, 100 … others of the same size, each on a
 * database of its own; asked through a hosted server.
 */
export async function accountsBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const log = new ExplainedLog();
    const postgres = await startPostgres({
      durable: true,
      settings: FILLING,
      onLog: (text) => log.take(text),
    });
    const operator = new pg.Client({ connectionString: postgres.url });
    await operator.connect();
    const fsync = async (to: string): Promise<void> => {
      for (const statement of [
        `ALTER SYSTEM SET fsync = ${to}`,
        'SELECT pg_reload_conf()',
        'CHECKPOINT',
      ])
        await operator.query(statement);
    };
    try {
      const levels: Level[] = [];
      await fsync('off');
      for (const others of LEVELS) {
        const began = performance.now();
        const home = path.join(folder, String(others));
        mkdirSync(home);
        const level = await makeLevel(postgres, home, others);
        console.log(
          `${thousands(others)} others, ${thousands((others + 1) * CASES * CELLS)} cells: ` +
            `${gib(level.bytes)}, ${milliseconds(performance.now() - began)}`,
        );
        levels.push(level);
      }
      await fsync('on');
      const astray = new Set<string>();
      const read: number[][] = [];
      for (const level of levels) read.push(await pagesAt(level, log, postgres, astray));
      console.log('times …');
      const times = await timesOf(levels);
      const points = (values: readonly number[]): Point[] =>
        levels.map(({ others }, l) => ({ size: others, value: values[l]! }));
      const last = levels.at(-1)!;
      const rows = OPERATIONS.map(({ what }, o): Figure => {
        const [took, looked] = [points(times[o]!), points(read.map((of) => of[o]!))];
        const slower = exponentOf(took);
        const [before, after] = [
          (looked.find(({ size }) => size === SETTLED) ?? looked[0]!).value,
          looked.at(-1)!.value,
        ];
        return {
          what: `${what}, beside N other accounts, p50`,
          ours: `${list(took, milliseconds)}; exponent ${slower.toFixed(2)}`,
          floor: '',
          compared: `pages read ${list(looked, thousands)}; ${(after / before).toFixed(2)} times from ${SETTLED} on`,
          gate: `exponent at most ${CONSTANT}; at most ${DEEPER.times} times the pages, or ${DEEPER.pages} more`,
          met:
            slower <= CONSTANT && after <= Math.max(DEEPER.times * before, before + DEEPER.pages),
        };
      });
      for (const what of astray) console.log(what);
      if (last.others < AT_FULL_SIZE) return rows;
      return [
        ...rows,
        {
          what:
            'statements of these that look at a row of another account, ' +
            `of ${thousands((last.others + 1) * CASES * CELLS)} cells in ${gib(last.bytes)}`,
          ours: String(astray.size),
          floor: '',
          compared: '',
          gate: 'none',
          met: astray.size === 0,
        },
      ];
    } finally {
      await operator.end();
      await postgres.stop();
    }
  });
}
