import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lengthOf } from '../../support/length.ts';
import {
  BIN,
  call,
  cli,
  makeKey,
  runToEnd,
  serve,
  serveWith,
  type Served,
} from '../../support/served.ts';

const PROFILE = 'general_claim_evidence';
/** A mount namespace of the server's own: nothing of it outlives the process. */
const UNSHARE = 'unshare';
const MOUNTS = process.getuid?.() === 0 ? ['-m'] : ['-rm'];
function canMount(): boolean {
  try {
    execFileSync(UNSHARE, [...MOUNTS, 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
/** Arguments of `unshare` that mount first and then become the command. */
function mounted(mount: string, folder: string, words: readonly string[]): string[] {
  return [
    ...MOUNTS,
    'sh',
    '-c',
    `${mount.replaceAll('DIR', '"$0"')} && exec "$@"`,
    folder,
    process.execPath,
    BIN,
    ...words,
  ];
}
const READ_ONLY = 'mount --bind DIR DIR && mount -o remount,bind,ro DIR';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-disk-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.skipIf(!canMount())('a data folder that cannot be written', () => {
  let folder: string;
  let key: string;
  let readOnly: Served;
  beforeAll(async () => {
    folder = path.join(root, 'read-only');
    key = await makeKey(folder);
    const first = await serve(folder);
    expect((await call(first.url, key, 'POST', '/api/v1/projects', { name: 'Here' })).status).toBe(
      201,
    );
    await first.kill('SIGTERM');
  });

  it('is served for reading, and says so everywhere', async () => {
    const before = await readFile(path.join(folder, 'evidence.sqlite'));
    readOnly = await serveWith(
      UNSHARE,
      mounted(READ_ONLY, folder, ['serve', '--port', '0', '--data', folder]),
    );
    expect(readOnly.output()).toContain(
      'Read-only: The database file or its folder is write-protected.',
    );
    expect(readOnly.output()).not.toContain('sign in once');
    expect((await fetch(`${readOnly.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${readOnly.url}/healthz`)).status).toBe(200);
    for (let time = 0; time < 3; time += 1) {
      const list = await call(readOnly.url, key, 'GET', '/api/v1/projects');
      expect([list.status, list.body.data[0]?.name]).toEqual([200, 'Here']);
    }
    const { status, body } = await call(readOnly.url, key, 'POST', '/api/v1/projects', {
      name: 'No',
    });
    expect([status, body.error]).toEqual([503, 'read_only']);
    await readOnly.kill('SIGTERM');
    expect(readOnly.child.exitCode).toBe(0);
    expect(readOnly.output()).not.toMatch(/^\s+at /m);
    expect(before.equals(await readFile(path.join(folder, 'evidence.sqlite')))).toBe(true);
  });

  it('takes no key: one sentence, code 1', async () => {
    const { code, stderr } = await runToEnd(
      UNSHARE,
      mounted(READ_ONLY, folder, ['key', 'create', '--name', 'x', '--data', folder]),
    );
    expect(stderr).toMatch(/^evidence-studio: [^\n]+\n$/);
    expect(code).toBe(1);
  });

  it('without a database is refused in one sentence', async () => {
    const empty = path.join(root, 'empty');
    await mkdir(empty);
    for (const data of [empty, path.join(empty, 'below')]) {
      const { code, stderr } = await runToEnd(
        UNSHARE,
        mounted(READ_ONLY, empty, ['serve', '--port', '0', '--data', data]),
      );
      expect(stderr).toMatch(/^evidence-studio: [^\n]+\n$/);
      expect(code).toBe(1);
    }
  });
});

describe.skipIf(!canMount())('a disk that runs full', () => {
  it('is said with 507; nothing acknowledged is lost, and writing goes on once there is room', async () => {
    const folder = path.join(root, 'full');
    await mkdir(folder);
    const server = await serveWith(
      UNSHARE,
      mounted('mount -t tmpfs -o size=12m none DIR', folder, [
        'serve',
        '--port',
        '0',
        '--data',
        folder,
      ]),
    );
    // The server's own view of the folder: in this process it is empty.
    const inside = `/proc/${server.child.pid}/root${folder}`;
    expect(existsSync(path.join(folder, 'evidence.sqlite'))).toBe(false);
    const made = await runToEnd('nsenter', [
      '-t',
      String(server.child.pid),
      ...(process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials']),
      '-m',
      process.execPath,
      BIN,
      'key',
      'create',
      '--json',
      '--name',
      'x',
      '--scopes',
      'read,write',
      '--data',
      folder,
    ]);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const { body: project } = await call(server.url, key, 'POST', '/api/v1/projects', {
      name: 'P',
    });
    expect(
      (
        await call(server.url, key, 'POST', '/api/v1/cases', {
          project_id: project.project_id,
          case_uid: 'c',
        })
      ).status,
    ).toBe(201);

    const acknowledged: string[] = [];
    const write = async (batch: number): Promise<{ status: number; body: any }> => {
      const items = Array.from({ length: 40 }, (_, at) => ({
        item_uid: `i-${batch}-${at}`,
        metadata: { text: 'x'.repeat(1_500) },
      }));
      const answer = await call(server.url, key, 'POST', '/api/v1/evidence', {
        case_uid: 'c',
        profile_uid: PROFILE,
        items,
      });
      if (answer.status === 200) acknowledged.push(...items.map(({ item_uid }) => item_uid));
      return answer;
    };
    const found = async (): Promise<string[]> => {
      const uids: string[] = [];
      for (let cursor = ''; ;) {
        const { status, body } = await call(
          server.url,
          key,
          'GET',
          `/api/v1/cases/c/evidence?profile_uid=${PROFILE}&limit=200${cursor}`,
        );
        expect(status).toBe(200);
        uids.push(...body.items.map(({ item_uid }: { item_uid: string }) => item_uid));
        if (body.next_cursor === null) return uids;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    const filler = path.join(inside, 'filler');
    const fill = (): void => {
      for (const size of [1 << 20, 1 << 16, 1 << 12, 1]) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(size));
        } catch {
          // Full for pieces of this size.
        }
      }
    };
    let batch = 0;
    for (let times = 0; times < lengthOf(1, 3); times += 1) {
      for (let more = 0; more < 3; more += 1) expect((await write((batch += 1))).status).toBe(200);
      fill();
      expect(statSync(filler).size).toBeGreaterThan(0);
      let refused: { status: number; body: any } | undefined;
      // The log may have room of its own left: its file is used again from the start.
      for (let tries = 0; tries < 60 && refused === undefined; tries += 1) {
        const answer = await write((batch += 1));
        if (answer.status !== 200) refused = answer;
      }
      expect([refused?.status, refused?.body.error]).toEqual([507, 'storage_full']);
      expect(refused?.body.message).toContain('full');
      expect((await write((batch += 1))).status).toBe(507);
      expect(await found()).toEqual(acknowledged);
      rmSync(filler);
      expect((await write((batch += 1))).status, 'with room again').toBe(200);
      expect(await found()).toEqual(acknowledged);
    }
    // Killed on a full disk, it comes back with everything.
    fill();
    for (let tries = 0; tries < 60; tries += 1)
      if ((await write((batch += 1))).status === 507) break;
    const copy = path.join(root, 'copy');
    await mkdir(copy);
    for (const name of ['evidence.sqlite', 'evidence.sqlite-wal', 'pepper.key'])
      execFileSync('cp', [path.join(inside, name), copy]);
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    const database = new DatabaseSync(path.join(copy, 'evidence.sqlite'));
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(
      database
        .prepare('SELECT item_uid FROM items ORDER BY position')
        .all()
        .map((row) => row.item_uid),
    ).toEqual(acknowledged);
    database.close();
    expect(JSON.parse(await cli(['key', 'list', '--json', '--data', copy])).data).toHaveLength(1);
  });
});
