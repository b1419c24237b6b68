import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgresHome } from '../../support/postgres-home.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { call, cli, ROOT, runToEnd, type Served, serve } from '../../support/served.ts';

const PROFILE = 'general_claim_evidence';
/** As one is that a person chose: nothing in it is the shell's or PostgreSQL's to read. */
const PASSWORD = 'it\'s $HOME "x" :password';
const home = findPostgresHome();

describe.skipIf(home === undefined)("a backup by PostgreSQL's own tools", () => {
  let postgres: RunningPostgres;
  let folder: string;
  let superuser: URL;
  const servers: Served[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'evidence-dump-'));
    // The account that PostgreSQL runs as reads it.
    await chmod(folder, 0o755);
    await writeFile(
      path.join(folder, 'doors'),
      'host all tests 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
    );
    postgres = await startPostgres({
      home: home!,
      settings: [`hba_file=${path.join(folder, 'doors')}`],
    });
    superuser = new URL(postgres.url);
    await writeFile(path.join(folder, 'secret'), Buffer.alloc(32, 9).toString('base64'));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (database: string): string =>
    `postgres://studio:${encodeURIComponent(PASSWORD)}@${superuser.host}/${database}`;
  const environment = (database: string): NodeJS.ProcessEnv => ({
    DATABASE_URL: urlOf(database),
    EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
    EVIDENCE_STUDIO_DATA: path.join(folder, database),
    LOG_LEVEL: 'error',
  });
  async function begin(database: string): Promise<Served> {
    const server = await serve(path.join(folder, database), [], environment(database));
    servers.push(server);
    return server;
  }
  /** A program of PostgreSQL as the superuser. */
  async function run(program: string, ...args: string[]): Promise<string> {
    const env = {
      PGHOST: superuser.hostname,
      PGPORT: superuser.port,
      PGUSER: superuser.username,
      PGDATABASE: 'postgres',
    };
    const ended = await runToEnd(path.join(home!, 'bin', program), args, { env });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    return ended.stdout;
  }

  it(
    'is taken while the server works, and is the same store in another database: keys, evidence, runs, audit and policies',
    { timeout: 120_000 },
    async () => {
      // As deploy/database.sh makes them.
      const made = await runToEnd('sh', [path.join(ROOT, 'deploy/database.sh')], {
        env: {
          STUDIO_PASSWORD: PASSWORD,
          PGHOST: superuser.hostname,
          PGPORT: superuser.port,
          PGUSER: superuser.username,
          PGDATABASE: 'postgres',
          POSTGRES_USER: superuser.username,
          PATH: `${home}/bin:${process.env.PATH}`,
        },
      });
      expect(made, made.stderr).toMatchObject({ code: 0 });
      const role = await run(
        'psql',
        '--tuples-only',
        '--no-align',
        '--command',
        `SELECT rolcanlogin, rolsuper, rolbypassrls, rolcreatedb,
          rolcreaterole, rolreplication, datname, pg_encoding_to_char(encoding)
          FROM pg_roles r JOIN pg_database d ON d.datdba = r.oid WHERE rolname = 'studio'`,
      );
      expect(role.trim()).toBe('t|f|f|f|f|f|studio|UTF8');
      await expect(
        new pg.Client({
          connectionString: `postgres://studio:word@${superuser.host}/studio`,
        }).connect(),
      ).rejects.toThrow(/password/);
      const first = await begin('studio');
      expect(first.output()).not.toContain('row-level security');
      const { key } = JSON.parse(
        await cli(
          ['key', 'create', '--name', 'x', '--scopes', 'read,write', '--json'],
          environment('studio'),
        ),
      ) as { key: string };
      const project = await call(first.url, key, 'POST', '/api/v1/projects', { name: 'Kept' });
      expect(
        (
          await call(first.url, key, 'POST', '/api/v1/cases', {
            project_id: project.body.project_id,
            case_uid: 'c',
          })
        ).status,
      ).toBe(201);
      const write = (item_uid: string) =>
        call(first.url, key, 'POST', '/api/v1/cases/c/evidence', {
          profile_uid: PROFILE,
          items: [{ item_uid }],
          outcomes: [],
        });
      expect((await write('before')).status).toBe(200);
      const frozen = await call(first.url, key, 'POST', '/api/v1/runs', {
        case_uid: 'c',
        profile_uid: PROFILE,
      });
      expect(frozen.status).toBe(201);
      const page = `/api/v1/cases/c/evidence?profile_uid=${PROFILE}`;
      const before = await call(first.url, key, 'GET', page);

      await run('pg_dump', '--format=custom', '--file', path.join(folder, 'dump'), 'studio');
      expect((await write('after')).status).toBe(200);
      const position = (await call(first.url, key, 'GET', '/api/v1/sync/cases/c/changes?after=0'))
        .body;
      await run(
        'psql',
        '--command',
        'CREATE DATABASE again OWNER studio ENCODING UTF8 TEMPLATE template0',
      );
      await run(
        'pg_restore',
        '--exit-on-error',
        '--single-transaction',
        '--dbname',
        'again',
        path.join(folder, 'dump'),
      );

      const second = await begin('again');
      expect((await call(second.url, key, 'GET', page)).body).toEqual(before.body);
      expect(
        (await call(second.url, key, 'GET', `/api/v1/runs/${frozen.body.run_uid}`)).body,
      ).toEqual(frozen.body);
      const guards = (database: string): Promise<string> =>
        run(
          'psql',
          '--dbname',
          database,
          '--tuples-only',
          '--command',
          `SELECT c.relname, c.relforcerowsecurity, c.relacl, p.polname FROM pg_class c
            JOIN pg_policy p ON p.polrelid = c.oid JOIN pg_roles o ON o.oid = c.relowner
            AND o.rolname = 'studio' ORDER BY 1, 4`,
        );
      expect((await guards('again')).length).toBeGreaterThan(100);
      expect(await guards('again')).toBe(await guards('studio'));
      await cli(['verify-audit'], environment('again'));
      // Whoever saw what came after the copy was taken learns of it, and brings its own again.
      const witness = await fetch(`${second.url}/api/v1/sync/cases/c/changes?after=0`, {
        headers: {
          authorization: `Bearer ${key}`,
          'sync-witness': `${position.epoch};${position.to};${position.chain}`,
        },
      });
      expect([witness.status, ((await witness.json()) as { error: string }).error]).toEqual([
        409,
        'diverged',
      ]);
      // It takes writes as before.
      expect(
        (
          await call(second.url, key, 'POST', '/api/v1/cases/c/evidence', {
            profile_uid: PROFILE,
            items: [{ item_uid: 'anew' }],
            outcomes: [],
          })
        ).status,
      ).toBe(200);
    },
  );
});
