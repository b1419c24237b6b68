/**
 * Loaded into a server's process before the server (`NODE_OPTIONS=--import …`): ends it by SIGKILL
 * at a labelled step, or moves its clock. It watches what goes to the database, so the server
 * itself knows nothing of it.
 */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { PipelineBatch } from '../../src/server/storage/db/postgres/pipeline-batch.ts';

export interface KillPoint {
  /**
   * `statement`: before one that writes to the table. `commit`, `committed`: before and after the
   * commit of a transaction that wrote to it. `migration`: before a statement of one.
   */
  at: 'statement' | 'commit' | 'committed' | 'migration';
  table: string;
  /** The how manieth time: 1 is the first. */
  nth: number;
}

/** The environment of a server that dies there, or whose clock is off by `shift` ms. */
export function rigged({ kill, shift }: { kill?: KillPoint; shift?: number }): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(import.meta.filename).href}`,
    ...(kill === undefined ? {} : { EVIDENCE_TEST_KILL: JSON.stringify(kill) }),
    ...(shift === undefined ? {} : { EVIDENCE_TEST_SHIFT: String(shift) }),
  };
}

const { EVIDENCE_TEST_KILL, EVIDENCE_TEST_SHIFT } = process.env;

if (EVIDENCE_TEST_SHIFT !== undefined) {
  const { now } = Date;
  Date.now = () => now() + Number(EVIDENCE_TEST_SHIFT);
}

if (EVIDENCE_TEST_KILL !== undefined) watch(JSON.parse(EVIDENCE_TEST_KILL) as KillPoint);

/** By its shape: the class of a built program is not the one of its source. */
function isBatch(query: unknown): query is Pick<PipelineBatch, 'statements'> {
  return query instanceof pg.Query && 'statements' in query && Array.isArray(query.statements);
}

function watch(point: KillPoint): void {
  let left = point.nth;
  const strike = (): void => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const WRITES = /^\s*(?:insert(?:\s+or\s+\w+)?\s+into|update|delete\s+from)\s+"?(\w+)"?/i;
  /** Tables that the running transaction has written to, by connection. */
  const touched = new WeakMap<object, Set<string>>();
  const sqlite = {};

  function before(connection: object, text: string): void {
    const tables = touched.get(connection) ?? new Set<string>();
    touched.set(connection, tables);
    if (/^\s*begin/i.test(text)) tables.clear();
    else if (/^\s*commit/i.test(text)) {
      if (point.at === 'commit' && tables.has(point.table)) strike();
    } else {
      const table = WRITES.exec(text)?.[1];
      if (table !== undefined) tables.add(table);
      if (point.at === 'statement' && table === point.table) strike();
      if (point.at === 'migration' && /^\s*(?:create|alter|drop)\s/i.test(text)) strike();
    }
  }
  function after(connection: object, text: string): void {
    if (
      point.at === 'committed' &&
      /^\s*commit/i.test(text) &&
      touched.get(connection)?.has(point.table) === true
    )
      strike();
  }

  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, text) {
    before(sqlite, text);
    exec.call(this, text);
    after(sqlite, text);
  };
  for (const name of ['run', 'all', 'get', 'iterate'] as const) {
    const original = StatementSync.prototype[name] as (...given: unknown[]) => unknown;
    Object.assign(StatementSync.prototype, {
      [name](this: StatementSync, ...given: unknown[]) {
        before(sqlite, this.sourceSQL);
        return original.apply(this, given);
      },
    });
  }

  /**
   * The statements of what a connection is given, which travel in one message; a commit is watched
   * when it is answered.
   */
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  Object.assign(pg.Client.prototype, {
    query(this: object, ...given: unknown[]) {
      const [first] = given;
      const statements = isBatch(first) ? first.statements : [];
      for (const statement of statements) {
        const { text, answered } = statement;
        before(this, text);
        statement.answered = (answer) => {
          after(this, text);
          answered(answer);
        };
      }
      return query.apply(this, given);
    },
  });
}
