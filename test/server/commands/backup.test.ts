import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../../src/server/instance/restore.ts';
import { IS_LONG } from '../../support/length.ts';
import { call, cli, command, makeKey, serve } from '../../support/served.ts';

const PROFILE = 'general_claim_evidence';
let root: string;
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-backup-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A data folder with a case `c`, and the words to write and count its items. */
async function studio(): Promise<{ folder: string; key: string; database: string }> {
  const folder = path.join(root, `data-${(made += 1)}`);
  const key = await makeKey(folder);
  return { folder, key, database: path.join(folder, 'evidence.sqlite') };
}
async function makeCase(url: string, key: string): Promise<void> {
  const { body } = await call(url, key, 'POST', '/api/v1/projects', { name: 'P' });
  expect(
    (await call(url, key, 'POST', '/api/v1/cases', { project_id: body.project_id, case_uid: 'c' }))
      .status,
  ).toBe(201);
}
async function writeItems(url: string, key: string, prefix: string, count = 100): Promise<void> {
  const items = Array.from({ length: count }, (_, at) => ({
    item_uid: `${prefix}-${at}`,
    metadata: { text: 'x'.repeat(400) },
  }));
  expect(
    (
      await call(url, key, 'POST', '/api/v1/evidence', {
        case_uid: 'c',
        profile_uid: PROFILE,
        items,
      })
    ).status,
  ).toBe(200);
}
async function itemsOf(url: string, key: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '';
  do {
    const { status, body } = await call(
      url,
      key,
      'GET',
      `/api/v1/cases/c/evidence?profile_uid=${PROFILE}&limit=200${cursor}`,
    );
    expect(status).toBe(200);
    found.push(...body.items.map(({ item_uid }: { item_uid: string }) => item_uid));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  return found;
}
let template: { folder: string; key: string };
beforeAll(async () => {
  const { folder, key } = await studio();
  const server = await serve(folder);
  await makeCase(server.url, key);
  await writeItems(server.url, key, 'x', 500);
  await server.kill('SIGTERM');
  const backup = path.join(folder, 'backups', '20261120T172200Z-daily.sqlite');
  await mkdir(path.dirname(backup));
  await cli(['backup', backup, '--data', folder]);
  await copyFile(backup, path.join(folder, 'backups', '20261119T172200Z-daily.sqlite'));
  template = { folder, key };
}, 60_000);
/** A studio with 500 items, closed, and backups in its own folder of backups. */
async function closed(): Promise<{
  folder: string;
  key: string;
  database: string;
  backup: string;
}> {
  const folder = path.join(root, `closed-${(made += 1)}`);
  await cp(template.folder, folder, { recursive: true });
  return {
    folder,
    key: template.key,
    database: path.join(folder, 'evidence.sqlite'),
    backup: path.join(folder, 'backups', '20261120T172200Z-daily.sqlite'),
  };
}
/** Two large files are not compared byte by byte, which takes a second. */
const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
async function overwrite(file: string, at: number, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(bytes, 0, bytes.length, at);
  await handle.close();
}

describe('backup', { timeout: 60_000 }, () => {
  it('is whole while the server writes, and holds what was acknowledged before it', async () => {
    const { folder, key } = await studio();
    const server = await serve(folder);
    await makeCase(server.url, key);
    await writeItems(server.url, key, 'before', 300);
    let writing = true;
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const writer = (async () => {
      for (let batches = 0; writing; batches += 1) {
        await writeItems(server.url, key, `during-${batches}`, 20);
        begun();
      }
    })();
    await Promise.race([isBegun, writer]);
    const file = path.join(root, 'during.sqlite');
    expect(await cli(['backup', file, '--data', folder])).toBe(`Backup written to ${file}.\n`);
    writing = false;
    await writer;
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
    const copy = new DatabaseSync(file, { readOnly: true });
    expect(copy.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const names = copy
      .prepare('SELECT item_uid FROM items')
      .all()
      .map((row) => String(row.item_uid));
    copy.close();
    expect(names.filter((name) => name.startsWith('before-'))).toHaveLength(300);
    // A request is in it whole or not at all.
    expect(names.filter((name) => name.startsWith('during-')).length % 20).toBe(0);
    await server.kill('SIGTERM');
  });

  it('overwrites nothing, and says so where it cannot be written', async () => {
    const { folder } = await studio();
    const file = path.join(root, 'kept.sqlite');
    await writeFile(file, 'mine');
    const exists = await command(['backup', file, '--data', folder]);
    expect(exists.stderr).toBe(`evidence-studio: ${file} exists; a backup overwrites nothing.\n`);
    expect(exists.code).toBe(1);
    expect(await readFile(file, 'utf8')).toBe('mine');
    const nowhere = await command([
      'backup',
      path.join(root, 'no/such/folder/b.sqlite'),
      '--data',
      folder,
    ]);
    expect(nowhere.stderr).toMatch(/^evidence-studio: [^\n]+\n$/);
    expect(nowhere.code).toBe(1);
  });
});

describe('restore', { timeout: 60_000 }, () => {
  it('goes back to the backup, and keeps what stood there whole in set-aside', async () => {
    const { folder, key, database } = await studio();
    let server = await serve(folder);
    await makeCase(server.url, key);
    await writeItems(server.url, key, 'old');
    const file = path.join(root, 'restore.sqlite');
    await cli(['backup', file, '--data', folder]);
    await writeItems(server.url, key, 'new');

    const running = await command(['restore', file, '--data', folder]);
    expect(running.stderr).toBe(
      `evidence-studio: Another Evidence Studio is using this data folder, at ${server.url}. Close it first.\n`,
    );
    expect(running.code).toBe(1);
    // What only the log holds must come along: no clean end.
    await server.kill('SIGKILL');

    const { file: from, set_aside: aside } = JSON.parse(
      await cli(['restore', file, '--json', '--data', folder]),
    );
    expect(from).toBe(file);
    expect(aside).toMatch(new RegExp(`^${folder}/set-aside/\\d{8}T\\d{6}Z`));
    expect(lstatSync(aside).mode & 0o777).toBe(0o700);
    expect(lstatSync(database).mode & 0o777).toBe(0o600);
    server = await serve(folder);
    expect(await itemsOf(server.url, key)).toHaveLength(100);
    await server.kill('SIGTERM');

    const former = path.join(root, 'former');
    await mkdir(former);
    for (const name of readdirSync(aside))
      await copyFile(path.join(aside, name), path.join(former, name));
    await copyFile(path.join(folder, 'pepper.key'), path.join(former, 'pepper.key'));
    server = await serve(former);
    expect(await itemsOf(server.url, key)).toHaveLength(200);
    await server.kill('SIGTERM');
  });

  it('keeps every former database, also of two restores in one second', async () => {
    const { folder, database } = await studio();
    const file = path.join(root, 'twice.sqlite');
    await cli(['backup', file, '--data', folder]);
    const now = Date.now();
    const asides: string[] = [];
    for (const mark of ['first', 'second', 'third']) {
      await writeFile(database, mark);
      asides.push(restoreBackup(folder, file, now));
    }
    expect(new Set(asides).size).toBe(3);
    expect(
      await Promise.all(
        asides.map((aside) => readFile(path.join(aside, 'evidence.sqlite'), 'utf8')),
      ),
    ).toEqual(['first', 'second', 'third']);
  });

  it('takes nothing else, and then leaves the database as it was', async () => {
    const { folder, database } = await studio();
    const before = await digestOf(database);
    const foreign = path.join(root, 'foreign.sqlite');
    const db = new DatabaseSync(foreign);
    db.exec('CREATE TABLE t (a)');
    db.close();
    const text = path.join(root, 'text.txt');
    await writeFile(text, 'not a database');
    for (const file of [foreign, text, root]) {
      const { code, stderr } = await command(['restore', file, '--data', folder]);
      expect(stderr, file).toMatch(/^evidence-studio: [^\n]+\n$/);
      expect(code, file).toBe(1);
    }
    expect(await digestOf(database)).toBe(before);
    expect(existsSync(path.join(folder, 'set-aside'))).toBe(false);
  });

  it('refuses a backup that is damaged itself, and leaves the database as it was', async () => {
    const { folder, database, backup: file } = await closed();
    const { size } = await stat(file);
    await overwrite(file, 4096 * Math.floor(size / 8192), Buffer.alloc(4096 * 4, 0xa5));
    const before = await digestOf(database);
    const { code, stderr } = await command(['restore', file, '--data', folder]);
    expect(stderr).toMatch(/^evidence-studio: [^\n]+\n$/);
    expect(code).toBe(1);
    expect(await digestOf(database)).toBe(before);
  });
});

describe('a damaged database file', { timeout: 60_000 }, () => {
  async function expectServed(folder: string, key: string): Promise<void> {
    const server = await serve(folder);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await itemsOf(server.url, key)).toHaveLength(500);
    await writeItems(server.url, key, 'after', 1);
    await server.kill('SIGTERM');
  }

  it('with a page of evidence flipped is read as far as it goes, takes no write, and names the newest backup', async () => {
    const { folder, key, database, backup } = await closed();
    const page = Math.floor((await readFile(database)).indexOf('x-250') / 4096);
    expect(page).toBeGreaterThan(1);
    await overwrite(database, 4096 * page, Buffer.alloc(4096, 0xa5));
    const damaged = await digestOf(database);
    const server = await serve(folder);
    expect(server.output()).toContain('Read-only: The database file is damaged.');
    expect(server.output()).toContain(`evidence-studio restore ${backup}`);
    expect(server.output()).not.toContain('sign in once');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    const { status, body } = await call(server.url, key, 'POST', '/api/v1/projects', {
      name: 'No',
    });
    expect([status, body.error]).toEqual([503, 'read_only']);
    expect(body.message).toContain('damaged');
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    expect(await digestOf(database)).toBe(damaged);
    await cli(['restore', backup, '--data', folder]);
    await expectServed(folder, key);
    const [aside = ''] = readdirSync(path.join(folder, 'set-aside'));
    expect(await digestOf(path.join(folder, 'set-aside', aside, 'evidence.sqlite'))).toBe(damaged);
  });

  type Damage = [what: string, damage: (database: string) => Promise<void>];
  const DAMAGES: Damage[] = [
    ['whose header is destroyed', (database) => overwrite(database, 0, Buffer.alloc(100, 0xa5))],
    [
      'whose first pages are destroyed',
      (database) => overwrite(database, 100, Buffer.alloc(4096 * 3, 0xa5)),
    ],
    [
      'that is cut off',
      async (database) => writeFile(database, (await readFile(database)).subarray(0, 5_000)),
    ],
    ['that is something else', (database) => writeFile(database, 'x'.repeat(50_000))],
  ];
  it.each(DAMAGES)(
    '%s is refused in one sentence that names the newest backup, and left as it is',
    async (_, damage) => {
      const { folder, key, database, backup } = await closed();
      await damage(database);
      const damaged = await digestOf(database);
      const { code, stdout, stderr } = await command(['serve', '--port', '0', '--data', folder]);
      expect(stderr).toMatch(/^evidence-studio: [^\n]+\n$/);
      expect(stderr).toContain(`evidence-studio restore ${backup}`);
      expect(stdout).toBe('');
      expect(code).toBe(1);
      expect(await digestOf(database)).toBe(damaged);
      for (const words of [
        ['key', 'list'],
        ['backup', path.join(root, `never-${made}.sqlite`)],
      ]) {
        const other = await command([...words, '--data', folder]);
        expect(other.stderr, words[0]).toMatch(/^evidence-studio: [^\n]+\n$/);
        expect(other.code).toBe(1);
      }
      await cli(['restore', backup, '--data', folder]);
      const restored = new DatabaseSync(database, { readOnly: true });
      expect(restored.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 500 });
      restored.close();
      if (IS_LONG) await expectServed(folder, key);
    },
  );

  it('of another application is left alone', async () => {
    const folder = path.join(root, 'foreign-data');
    await mkdir(folder);
    const db = new DatabaseSync(path.join(folder, 'evidence.sqlite'));
    db.exec('PRAGMA application_id=7; CREATE TABLE t (a)');
    db.close();
    const { code, stderr } = await command(['serve', '--port', '0', '--data', folder]);
    expect(stderr).toBe('evidence-studio: The file is a database of another application.\n');
    expect(code).toBe(1);
  });
});
