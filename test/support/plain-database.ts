import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openPostgres } from '../../src/server/storage/db/postgres/postgres.ts';

/**
 * A database as a host should make one: its owner is a plain role, neither a superuser nor one that
 * bypasses row-level security.
 */
export interface PlainDatabase {
  /** For the plain role. */
  url: string;
  superuserUrl: string;
  /** Statements of the superuser, as of somebody beside the application. */
  sql(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Statements of the plain role, as the server itself asks them. */
  ownSql(statement: string): Promise<Record<string, unknown>[]>;
  /**
   * Keeps a copy as it is now, instead of the one before, and puts it back; nobody may be
   * connected.
   */
  keep(): Promise<void>;
  putBack(): Promise<void>;
  drop(): Promise<void>;
}

/** The server that a project has for all its files. */
export const SHARED_POSTGRES = process.env.EVIDENCE_TEST_POSTGRES_URL ?? '';
const ROLE = 'studio';
/** A database of that server with all migrations done, which each new one is a copy of. */
const TEMPLATE = 'migrated';

/** Of each server: a connection costs more than most of what is asked over it. */
const administrators = new Map<string, pg.Pool>();

/** Statements about whole databases, none of which it is connected to. */
async function administer(server: string, statement: string): Promise<void> {
  let pool = administrators.get(server);
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: server, max: 1, allowExitOnIdle: true });
    // The server ends before the tests do.
    pool.on('error', () => undefined);
    administrators.set(server, pool);
  }
  await pool.query(statement);
}

async function run(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

function addressesOf(server: string, name: string): { superuserUrl: string; url: string } {
  const address = new URL(server);
  address.pathname = `/${name}`;
  const superuserUrl = address.href;
  address.username = ROLE;
  return { superuserUrl, url: address.href };
}

const makeRole = (server: string): Promise<void> =>
  administer(
    server,
    `DO $$ BEGIN CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  );

/** Servers that have the template. */
const withTemplate = new Set([SHARED_POSTGRES]);

/** Migrations are most of what a new database costs: they are done once for all of the server. */
export async function makeTemplate(server: string): Promise<void> {
  await makeRole(server);
  await administer(server, `CREATE DATABASE ${TEMPLATE} OWNER ${ROLE}`);
  await (await openPostgres({ url: addressesOf(server, TEMPLATE).url })).close();
  withTemplate.add(server);
}

/**
 * `server` is the address of one whose user is a superuser. Where that has the template, as the one
 * that all files share, the database is migrated, unless it is to be empty.
 */
export async function makePlainDatabase(server: string, empty?: 'empty'): Promise<PlainDatabase> {
  const name = `store_${randomBytes(6).toString('hex')}`;
  const migrated = withTemplate.has(server);
  if (!migrated) await makeRole(server);
  await administer(
    server,
    `CREATE DATABASE ${name} OWNER ${ROLE}${migrated && empty === undefined ? ` TEMPLATE ${TEMPLATE}` : ''}`,
  );
  const { url, superuserUrl } = addressesOf(server, name);
  const drop = (which: string): Promise<void> =>
    administer(server, `DROP DATABASE IF EXISTS ${which} WITH (FORCE)`);
  const copy = (from: string, to: string): Promise<void> =>
    administer(server, `CREATE DATABASE ${to} OWNER ${ROLE} TEMPLATE ${from}`);
  return {
    url,
    superuserUrl,
    sql: (statement, values) => run(superuserUrl, statement, values),
    ownSql: (statement) => run(url, statement),
    keep: async () => {
      await drop(`${name}_copy`);
      await copy(name, `${name}_copy`);
    },
    putBack: async () => {
      await drop(name);
      await copy(`${name}_copy`, name);
    },
    drop: async () => {
      await drop(name);
      await drop(`${name}_copy`);
    },
  };
}
