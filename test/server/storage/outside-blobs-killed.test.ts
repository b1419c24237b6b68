import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { type RunningS3, startS3 } from '../../support/s3.ts';
import { call, cli, type Served, serve } from '../../support/served.ts';

const PROFILE = 'general_claim_evidence';
const KILLS = 5;
const LONG = { timeout: 300_000 };
/** Blobs that no run names, so that a move takes a while. */
const MANY = 3_000;

let s3: RunningS3;
let database: PlainDatabase;
let folder: string;
let key: string;
let server: Served;
beforeAll(async () => {
  [s3, database] = await Promise.all([startS3('killed'), makePlainDatabase(SHARED_POSTGRES)]);
  folder = mkdtempSync(path.join(tmpdir(), 'evidence-blobs-killed-'));
  const made = await cli(
    ['key', 'create', '--name', 'x', '--scopes', 'read,write', '--json'],
    plain(),
  );
  ({ key } = JSON.parse(made) as { key: string });
});
afterAll(async () => {
  await server?.kill('SIGKILL');
  await s3.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const plain = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: database.url,
  EVIDENCE_STUDIO_DATA: folder,
});
const outside = (): NodeJS.ProcessEnv => ({ ...plain(), ...s3.env });
const start = async (env: NodeJS.ProcessEnv): Promise<Served> =>
  (server = await serve(folder, [], env));
const post = (at: string, body: unknown) => call(server.url, key, 'POST', `/api/v1/${at}`, body);
const rows = async (table: 'blobs' | 'outside_blobs'): Promise<number> =>
  Number((await database.sql(`SELECT count(*) AS n FROM ${table}`))[0]?.['n']);

let cases = 0;
/** A case with its project, and a frozen run of it; what came back for the run. */
async function freezeOne(
  projectId: string,
): Promise<{ status: number; run: string; retry: boolean }> {
  cases += 1;
  const case_uid = `case-${cases}`;
  await post('cases', { project_id: projectId, case_uid });
  const items = Array.from({ length: 60 }, (_, at) => ({ item_uid: `${case_uid}-${at}` }));
  await post('evidence', { case_uid, profile_uid: PROFILE, items });
  const { status, headers } = await post('runs', {
    case_uid,
    profile_uid: PROFILE,
    run_uid: `run-${case_uid}`,
  });
  return { status, run: `run-${case_uid}`, retry: headers.get('retry-after') !== null };
}
const project = async (): Promise<string> =>
  (await post('projects', { name: `P ${cases}` })).body.project_id;
async function expectWhole(runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    const { status, body } = await call(server.url, key, 'GET', `/api/v1/runs/${run}`);
    expect([run, status]).toEqual([run, 200]);
    const checked = await call(
      server.url,
      key,
      'GET',
      `/api/v1/sync/runs/${body.content_hash}?verify=1`,
    );
    expect(checked.body.verification.integrity).toMatchObject({ ok: true });
  }
}

describe('a server whose blobs are in an S3 store', () => {
  it(
    'is killed again and again while it moves blobs out: none is lost, and all arrive',
    LONG,
    async () => {
      await start(plain());
      const id = await project();
      const runs: string[] = [];
      for (let at = 0; at < 10; at += 1) runs.push((await freezeOne(id)).run);
      await server.kill('SIGKILL');
      const texts = Array.from({ length: MANY }, (_, at) => JSON.stringify({ at }));
      await database.sql(
        `INSERT INTO blobs SELECT account, sha256, 0, packed
        FROM accounts, unnest($1::text[], $2::bytea[]) AS given (sha256, packed)
        WHERE account_id = (SELECT value FROM meta WHERE key = 'local_account')`,
        [
          texts.map((text) => createHash('sha256').update(text).digest('hex')),
          texts.map((text) => deflateRawSync(text)),
        ],
      );
      const all = await rows('blobs');
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = await rows('outside_blobs');
        await start(outside());
        await expect.poll(() => rows('outside_blobs'), { timeout: 60_000 }).toBeGreaterThan(before);
        await expectWhole(runs.slice(0, 2));
        await server.kill('SIGKILL');
        expect((await rows('blobs')) + (await rows('outside_blobs'))).toBe(all);
      }
      await start(outside());
      await expect.poll(() => rows('blobs'), { timeout: 200_000 }).toBe(0);
      expect(await rows('outside_blobs')).toBe(all);
      await expectWhole(runs);
    },
  );

  it(
    'loses no run that it has acknowledged, whether it is killed or its store is',
    LONG,
    async () => {
      await start(outside());
      const id = await project();
      const acknowledged: string[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const ending = new AbortController();
        const freezing = Array.from({ length: 4 }, async () => {
          while (!ending.signal.aborted) {
            const { status, run, retry } = await freezeOne(id).catch(() => ({
              status: 0,
              run: '',
              retry: true,
            }));
            expect([0, 201, 503]).toContain(status);
            if (status === 503) expect(retry).toBe(true);
            if (status === 201) acknowledged.push(run);
          }
        });
        const known = acknowledged.length;
        await expect
          .poll(() => acknowledged.length, { timeout: 60_000 })
          .toBeGreaterThan(known + 20);
        // A run is under way at any time; once the store goes first.
        if (kill % 2 === 0) await s3.kill();
        await server.kill('SIGKILL');
        ending.abort();
        await Promise.all(freezing);
        if (kill % 2 === 0) await s3.start();
        await start(outside());
      }
      expect(await rows('blobs')).toBe(0);
      await expectWhole(acknowledged);
    },
  );
});
