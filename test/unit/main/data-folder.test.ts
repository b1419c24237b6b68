import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFile, replaceFile } from '../../../src/server/atomic-file.ts';
import { keepBackups, listBackups } from '../../../src/server/backups.ts';
import { composeServer, openData, restoreInto } from '../../../src/server/compose.ts';
import { readConfig } from '../../../src/server/config.ts';
import { databaseFile, dataFolder, FolderInUseError, lockFolder, prepareFolder } from '../../../src/server/data-folder.ts';
import { readDiscovery, removeDiscovery, writeDiscovery } from '../../../src/server/discovery.ts';
import { finishRestore } from '../../../src/server/restore.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-'));
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const mode = (file: string): number => statSync(file).mode & 0o777;
const config = readConfig({ LOG_LEVEL: 'silent', EVIDENCE_STUDIO_PORT: '0' });
const DISCOVERY = { url: 'http://127.0.0.1:4610', pid: 42, instance_id: 'one', started_at: '2026-11-20T17:00:00.000Z' };
const DAY = 86_400_000;

describe('the data folder', () => {
  it('is where it is asked to be, else where EVIDENCE_STUDIO_DATA says, else the place of the system', () => {
    expect(dataFolder('/asked', 'linux', { EVIDENCE_STUDIO_DATA: '/env' })).toBe('/asked');
    expect(dataFolder(undefined, 'linux', { EVIDENCE_STUDIO_DATA: '/env' })).toBe('/env');
    expect(dataFolder(undefined, 'linux', { XDG_DATA_HOME: '/xdg' })).toBe('/xdg/evidence-studio');
    expect(dataFolder(undefined, 'linux', { XDG_DATA_HOME: 'relative' })).toBe(path.join(os.homedir(), '.local/share/evidence-studio'));
    expect(dataFolder(undefined, 'darwin', {})).toBe(path.join(os.homedir(), 'Library/Application Support/evidence-studio'));
  });

  it('is for its owner alone, and so is everything that is made in it', async () => {
    const folder = path.join(newFolder(), 'data');
    const composed = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config });
    composed.announce('http://127.0.0.1:4610');
    expect(mode(folder)).toBe(0o700);
    for (const name of ['evidence.sqlite', 'pepper.key', 'server.json', 'server.lock']) expect([name, mode(path.join(folder, name))]).toEqual([name, 0o600]);
    await composed.close();
  });

  it('a folder that stood open is closed to others', () => {
    const folder = path.join(newFolder(), 'data');
    mkdirSync(folder, { mode: 0o755 });
    prepareFolder(folder);
    expect(mode(folder)).toBe(0o700);
  });

  it('E11 has one server at a time: the second is told where the first one is', async () => {
    const folder = newFolder();
    const first = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config });
    first.announce('http://127.0.0.1:4610');
    await expect(composeServer({ dataDir: folder, home: 'desktop', rendererRoot: undefined, config })).rejects.toThrow('http://127.0.0.1:4610');
    expect(() => restoreInto(folder, databaseFile(folder))).toThrow(FolderInUseError);
    await first.close();
    const second = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config });
    await second.close();
  });

  it('commands work beside the server and see its writes', async () => {
    const folder = newFolder();
    const server = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config });
    const data = await openData(folder, { config });
    expect(data.pepper).toEqual(server.deps.pepper);
    expect(data.store.local).toEqual(server.store.local);
    await data[Symbol.asyncDispose]();
    await server.close();
  });
});

describe('server.json', () => {
  it('names url, pid, instance and start, and nothing else', () => {
    const folder = newFolder();
    writeDiscovery(folder, DISCOVERY);
    expect(JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'))).toEqual(DISCOVERY);
    expect(mode(path.join(folder, 'server.json'))).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['server.json']);
    expect(readDiscovery(folder)).toEqual(DISCOVERY);
  });

  it('a link planted in its place is replaced, never followed', () => {
    const folder = newFolder();
    const victim = path.join(newFolder(), 'victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, path.join(folder, 'server.json'));
    expect(readDiscovery(folder)).toBeUndefined();
    writeDiscovery(folder, DISCOVERY);
    expect(lstatSync(path.join(folder, 'server.json')).isFile()).toBe(true);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
  });

  it('a link planted at the name of the temporary file is not followed either', () => {
    const folder = newFolder();
    const victim = path.join(newFolder(), 'victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, path.join(folder, `server.json.${process.pid}.tmp`));
    writeDiscovery(folder, DISCOVERY);
    expect(readDiscovery(folder)).toEqual(DISCOVERY);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
  });

  it("another instance's file stays", () => {
    const folder = newFolder();
    writeDiscovery(folder, DISCOVERY);
    removeDiscovery(folder, 'two');
    expect(readDiscovery(folder)).toEqual(DISCOVERY);
    removeDiscovery(folder, 'one');
    expect(existsSync(path.join(folder, 'server.json'))).toBe(false);
  });

  for (const text of ['', '{', '[]', '{"url":"file:///x","pid":1,"instance_id":"a","started_at":"2026-11-20T17:00:00.000Z"}', JSON.stringify({ ...DISCOVERY, key: 'evs_x' })]) {
    it(`unreadable content is no server: ${text.slice(0, 40)}`, () => {
      const folder = newFolder();
      writeFileSync(path.join(folder, 'server.json'), text);
      expect(readDiscovery(folder)).toBeUndefined();
    });
  }

  it('a file is created only where there is none, and replaced whole', () => {
    const file = path.join(newFolder(), 'x');
    createFile(file, 'one');
    expect(() => createFile(file, 'two')).toThrow('EEXIST');
    expect(readFileSync(file, 'utf8')).toBe('one');
    replaceFile(file, 'three');
    expect(readFileSync(file, 'utf8')).toBe('three');
    expect(readdirSync(path.dirname(file))).toEqual(['x']);
  });
});

describe('backups', () => {
  const store = { engine: 'sqlite' as const, health: () => ({ ok: true, read_only: null }), backup: async (file: string) => writeFileSync(file, file) };
  const start = Date.UTC(2026, 10, 20, 17);

  it('keeps seven days and four weeks, newest first in the list', async () => {
    const folder = newFolder();
    for (let day = 0; day < 60; day += 1) await keepBackups(store, folder, start + day * DAY);
    const names = listBackups(folder).map((file) => path.basename(file));
    expect(names.filter((name) => name.includes('daily'))).toHaveLength(7);
    expect(names.filter((name) => name.includes('weekly'))).toHaveLength(4);
    expect(names[0]).toBe('20270118T170000Z-daily.sqlite');
    expect(names).toEqual(names.toSorted().toReversed());
  });

  it('writes one a day, however often it is asked', async () => {
    const folder = newFolder();
    const written = [];
    for (const hours of [0, 1, 5, 7, 8, 31]) written.push(await keepBackups(store, folder, start + hours * 3_600_000));
    expect(written.map((file) => file !== undefined)).toEqual([true, false, false, true, false, true]);
  });

  it('a store that is not well writes none, so that no good one goes', async () => {
    const folder = newFolder();
    expect(await keepBackups({ ...store, health: () => ({ ok: false, read_only: 'damaged' }) }, folder, start)).toBeUndefined();
    expect(listBackups(folder)).toEqual([]);
  });

  it('lists those made before a migration, and deletes nothing it did not make', async () => {
    const folder = newFolder();
    writeFileSync(`${databaseFile(folder)}.v1.backup`, '');
    mkdirSync(path.join(folder, 'backups'));
    writeFileSync(path.join(folder, 'backups', 'mine.sqlite'), '');
    for (let day = 0; day < 9; day += 1) await keepBackups(store, folder, start - 30 * DAY + day * DAY);
    expect(listBackups(folder)[0]).toBe(`${databaseFile(folder)}.v1.backup`);
    expect(existsSync(path.join(folder, 'backups', 'mine.sqlite'))).toBe(true);
  });
});

describe('restoring a backup', () => {
  async function named(folder: string, name: string): Promise<void> {
    const data = await openData(folder, { config });
    const { account_id, user_id, user_name } = data.store.local;
    await data.store.transact((writer) => writer.projectWrites.upsert({ account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null }, { name }, undefined));
    await data[Symbol.asyncDispose]();
  }
  async function names(folder: string): Promise<string[]> {
    const data = await openData(folder, { config });
    const page = await data.store.read((reader) => reader.projects.list(data.store.local.account_id, { limit: 50, cursor: undefined }));
    await data[Symbol.asyncDispose]();
    return page.data.map((project) => project.name);
  }
  async function withBackup(): Promise<{ folder: string; backup: string }> {
    const folder = newFolder();
    await named(folder, 'before');
    const data = await openData(folder, { config });
    const backup = await keepBackups(data.store, folder, Date.now());
    await data[Symbol.asyncDispose]();
    await named(folder, 'after');
    return { folder, backup: backup ?? '' };
  }

  it('brings back what was there then, and keeps what stood in its place', async () => {
    const { folder, backup } = await withBackup();
    const damaged = Buffer.from('this is no database');
    writeFileSync(databaseFile(folder), damaged);
    const aside = restoreInto(folder, backup);
    expect(await names(folder)).toEqual(['before']);
    expect(readFileSync(path.join(aside, 'evidence.sqlite'))).toEqual(damaged);
    expect(listBackups(folder)).toContain(backup);
  });

  it('refuses a file that is no backup of this application, and changes nothing', async () => {
    const { folder } = await withBackup();
    const other = path.join(folder, 'other.sqlite');
    for (const bytes of ['', 'SQLite format 3\0', 'text']) {
      writeFileSync(other, bytes);
      expect(() => restoreInto(folder, other)).toThrow('not a backup');
    }
    expect((await names(folder)).toSorted()).toEqual(['after', 'before']);
  });

  it('cut off after the old database was taken away: the next start completes it, and no log of the old one gets in', async () => {
    const { folder, backup } = await withBackup();
    const database = databaseFile(folder);
    mkdirSync(path.join(folder, 'set-aside', '20261120T170000Z'), { recursive: true });
    writeFileSync(`${database}.incoming`, readFileSync(backup));
    rmSync(database);
    writeFileSync(`${database}-wal`, 'the log of the old database');
    const composed = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config });
    await composed.close();
    expect(await names(folder)).toEqual(['before']);
    expect(existsSync(path.join(folder, 'set-aside', '20261120T170000Z', 'evidence.sqlite-wal'))).toBe(true);
  });

  it('cut off before: the next start forgets it', async () => {
    const { folder, backup } = await withBackup();
    writeFileSync(`${databaseFile(folder)}.incoming`, readFileSync(backup));
    finishRestore(folder);
    expect(existsSync(`${databaseFile(folder)}.incoming`)).toBe(false);
    expect((await names(folder)).toSorted()).toEqual(['after', 'before']);
  });

  it('a lock is released when its process ends, not before', () => {
    const folder = newFolder();
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(FolderInUseError);
    lock.release();
    lockFolder(folder).release();
  });
});
