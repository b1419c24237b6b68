import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFile, replaceFile } from '../../../src/server/instance/atomic-file.ts';
import { openData } from '../../../src/server/open-data.ts';
import { composeServer, restoreInto } from '../../../src/server/compose.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import {
  databaseFile,
  dataFolder,
  FolderInUseError,
  lockFolder,
  prepareFolder,
} from '../../../src/server/instance/data-folder.ts';
import {
  readDiscovery,
  removeDiscovery,
  writeDiscovery,
} from '../../../src/server/instance/discovery.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-'));
  folders.push(folder);
  return folder;
}
afterEach(() =>
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })),
);

const mode = (file: string): number => statSync(file).mode & 0o777;
const config = readConfig({ LOG_LEVEL: 'silent', EVIDENCE_STUDIO_PORT: '0' });
const DISCOVERY = {
  url: 'http://127.0.0.1:4610',
  pid: 42,
  instance_id: 'one',
  started_at: '2026-11-20T17:00:00.000Z',
};

describe('the data folder', () => {
  it('is where it is asked to be, else where EVIDENCE_STUDIO_DATA says, else the place of the system', () => {
    expect(dataFolder('/asked', 'linux', { EVIDENCE_STUDIO_DATA: '/env' })).toBe('/asked');
    expect(dataFolder(undefined, 'linux', { EVIDENCE_STUDIO_DATA: '/env' })).toBe('/env');
    expect(dataFolder(undefined, 'linux', { XDG_DATA_HOME: '/xdg' })).toBe('/xdg/evidence-studio');
    expect(dataFolder(undefined, 'linux', { XDG_DATA_HOME: 'relative' })).toBe(
      path.join(os.homedir(), '.local/share/evidence-studio'),
    );
    expect(dataFolder(undefined, 'darwin', {})).toBe(
      path.join(os.homedir(), 'Library/Application Support/evidence-studio'),
    );
  });

  it('is for its owner alone, and so is everything that is made in it', async () => {
    const folder = path.join(newFolder(), 'data');
    const composed = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
    });
    composed.announce('http://127.0.0.1:4610');
    expect(mode(folder)).toBe(0o700);
    for (const name of ['evidence.sqlite', 'pepper.key', 'server.json', 'server.lock'])
      expect([name, mode(path.join(folder, name))]).toEqual([name, 0o600]);
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
    const first = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
    });
    first.announce('http://127.0.0.1:4610');
    await expect(
      composeServer({ dataDir: folder, home: 'desktop', rendererRoot: undefined, config }),
    ).rejects.toThrow('http://127.0.0.1:4610');
    expect(() => restoreInto(folder, databaseFile(folder))).toThrow(FolderInUseError);
    await first.close();
    const second = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
    });
    await second.close();
  });

  it('E11 a lock is free for the next one once it is released', () => {
    const folder = newFolder();
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(FolderInUseError);
    lock.release();
    lockFolder(folder).release();
  });

  it('commands work beside the server and see its writes', async () => {
    const folder = newFolder();
    const server = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config,
    });
    const data = await openData(folder, { config });
    expect(data.hmacSecret).toEqual(server.deps.hmacSecret);
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

  for (const text of [
    '',
    '{',
    '[]',
    '{"url":"file:///x","pid":1,"instance_id":"a","started_at":"2026-11-20T17:00:00.000Z"}',
    JSON.stringify({ ...DISCOVERY, key: 'evs_x' }),
  ]) {
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
