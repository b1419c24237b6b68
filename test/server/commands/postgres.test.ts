import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { call, cli, command, serve } from '../../support/served.ts';

let database: PlainDatabase;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-pg-'));
  env = { DATABASE_URL: database.url, EVIDENCE_STUDIO_DATA: folder };
}, 60_000);
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('serve on PostgreSQL', () => {
  it('keeps the evidence there, across servers side by side and a SIGKILL', async () => {
    const { key } = JSON.parse(
      await cli(['key', 'create', '--name', 'x', '--scopes', 'read,write', '--json'], env),
    ) as { key: string };
    const first = await serve(folder, [], { DATABASE_URL: database.url });
    const second = await serve(folder, ['--database-url', database.url]);
    const project = await call(first.url, key, 'POST', '/api/v1/projects', { name: 'Shared' });
    expect(project.status).toBe(201);
    expect(
      (
        await call(second.url, key, 'POST', '/api/v1/cases', {
          project_id: project.body.project_id,
          case_uid: 'c',
        })
      ).status,
    ).toBe(201);
    expect(
      (
        await call(first.url, key, 'POST', '/api/v1/evidence', {
          case_uid: 'c',
          profile_uid: 'general_claim_evidence',
          items: [{ item_uid: 'i' }],
        })
      ).status,
    ).toBe(200);
    await first.kill('SIGKILL');
    expect(
      (
        await call(
          second.url,
          key,
          'GET',
          '/api/v1/cases/c/evidence?profile_uid=general_claim_evidence',
        )
      ).body.items,
    ).toHaveLength(1);
    await second.kill('SIGTERM');
    expect(second.child.exitCode).toBe(0);
    expect(existsSync(path.join(folder, 'evidence.sqlite'))).toBe(false);
    for (const server of [first, second]) expect(server.output()).not.toContain(database.url);
  });

  it('manages keys while it runs', async () => {
    const server = await serve(folder, [], env);
    const { key, key_id } = JSON.parse(
      await cli(['key', 'create', '--name', 'gone', '--json'], env),
    ) as { key: string; key_id: string };
    expect((await call(server.url, key, 'GET', '/api/v1/projects')).status).toBe(200);
    expect(await cli(['key', 'list'], env)).toContain('gone');
    await cli(['key', 'revoke', key_id], env);
    expect((await call(server.url, key, 'GET', '/api/v1/projects')).body.error).toBe('key_revoked');
    await server.kill('SIGTERM');
  });

  it('leaves backups to PostgreSQL, in one sentence', async () => {
    const { code, stderr } = await command(['backup', path.join(folder, 'b.sqlite')], env);
    expect(stderr).toBe(
      "evidence-studio: This data is in PostgreSQL: back it up with PostgreSQL's own tools.\n",
    );
    expect(code).toBe(1);
  });

  it('that cannot be reached says so in one sentence, without the address and its password', async () => {
    const { code, stderr } = await command(['serve', '--port', '0', '--data', folder], {
      DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x',
    });
    expect(stderr).toMatch(/^evidence-studio: [^\n]*cannot be reached[^\n]*\n$/);
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });
});
