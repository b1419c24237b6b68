import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startDesktop } from '../../../src/main/desktop.ts';
import { keepBackups } from '../../../src/server/backups.ts';
import { composeServer, openData } from '../../../src/server/compose.ts';
import { DEFAULT_PORT, readConfig } from '../../../src/server/config.ts';
import { databaseFile } from '../../../src/server/data-folder.ts';
import { readDiscovery } from '../../../src/server/discovery.ts';
import { createFakeElectron, type FakeOptions } from './fake-electron.ts';

const folders: string[] = [];
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'desktop-'));
  folders.push(folder);
  return folder;
}

interface Start extends FakeOptions {
  folder?: string;
  argv?: string[];
  env?: Record<string, string | undefined>;
}

/** The application on a fake Electron, with the real server and store in a folder of its own. */
async function start({ folder = newFolder(), argv = [], env = {}, ...options }: Start = {}) {
  const fake = createFakeElectron(options);
  const built = path.join(newFolder(), 'main');
  mkdirSync(path.join(built, '../renderer'), { recursive: true });
  writeFileSync(path.join(built, '../renderer/index.html'), '<p>the page</p>');
  const process = new EventEmitter();
  const lines: string[] = [];
  const config = readConfig({ EVIDENCE_STUDIO_PORT: '0', ...env });
  await startDesktop(fake.electron, { config, dataFolder: folder, argv, platform: 'linux', process: process as unknown as NodeJS.Process, built, log: { write: (line: string) => void lines.push(line) } });
  const quit = async (): Promise<void> => {
    if (fake.windows.length === 0 || fake.log.some((entry) => entry.startsWith('exit'))) return;
    fake.app.emit('before-quit', { preventDefault: () => undefined });
    await vi.waitFor(() => expect(fake.log).toContain('exit 0'), 5_000);
  };
  stops.push(quit);
  return { ...fake, folder, built, process, lines, quit, config };
}

/** A studio with one project and a backup of it, closed. */
async function withBackup(): Promise<string> {
  const folder = newFolder();
  const config = readConfig({ LOG_LEVEL: 'silent' });
  const data = await openData(folder, { config });
  const { account_id, user_id, user_name } = data.store.local;
  await data.store.transact((writer) => writer.projectWrites.upsert({ account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null }, { name: 'kept' }, undefined));
  await keepBackups(data.store, folder, Date.now());
  await data[Symbol.asyncDispose]();
  return folder;
}

describe('E2 the window', () => {
  it('E2 E13 is made once, with exactly these preferences and the one preload', async () => {
    const { windows, built } = await start();
    expect(windows).toHaveLength(1);
    expect(windows[0]?.options.webPreferences).toEqual({
      contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false, webviewTag: false, webSecurity: true,
      allowRunningInsecureContent: false, experimentalFeatures: false, navigateOnDragDrop: false, spellcheck: false, devTools: true, preload: path.join(built, '../preload/index.cjs'),
    });
    expect(windows[0]?.calls).toContain('load app://studio/studio');
  });

  it('E2 a packaged application has no developer tools', async () => {
    const { windows } = await start({ packaged: true });
    expect(windows[0]?.options.webPreferences).toMatchObject({ devTools: false });
  });

  it('E2 the sandbox is on for every process before Electron is ready; only --no-sandbox of a check turns it off', async () => {
    const { log } = await start();
    expect(log.indexOf('sandbox')).toBeGreaterThan(-1);
    expect(log.indexOf('sandbox')).toBeLessThan(log.indexOf('ready'));
    expect((await start({ switches: ['no-sandbox'] })).log).not.toContain('sandbox');
  });

  it('E4 the scheme is registered before Electron is ready, and served after', async () => {
    const { log, protocols } = await start();
    expect(log.indexOf('scheme')).toBeLessThan(log.indexOf('ready'));
    const handler = protocols.get('app');
    expect(await (await handler?.(new Request('app://studio/studio')))?.text()).toBe('<p>the page</p>');
    const session = await (await handler?.(new Request('app://studio/api/v1/session')))?.json();
    expect(session).toMatchObject({ home: 'desktop', server: { read_only: false } });
  });
});

describe('E11 one instance', () => {
  it('E11 a second one asks for the lock, quits, and opens nothing', async () => {
    const { log, folder, windows } = await start({ lock: false });
    expect(log).toEqual(['path userData', 'lock', 'quit']);
    expect(windows).toEqual([]);
    expect(existsSync(databaseFile(folder))).toBe(false);
    expect(existsSync(path.join(folder, 'server.json'))).toBe(false);
  });

  it('E11 the first one comes to the front when a second is started, whatever its arguments say', async () => {
    const { app, windows, log } = await start();
    windows[0]!.minimized = true;
    windows[0]!.calls.length = 0;
    for (const argv of [[], ['--inspect'], ['evidence-studio://open/run/..%2f'], ['--remote-debugging-port=1']]) app.emit('second-instance', {}, argv);
    expect(new Set(windows[0]?.calls)).toEqual(new Set(['restore', 'show', 'focus']));
    expect(log.filter((entry) => entry === 'window')).toHaveLength(1);
  });

  it('E11 a server of the command line on the same folder is named, and the application ends', async () => {
    const folder = newFolder();
    const served = await composeServer({ dataDir: folder, home: 'local', rendererRoot: undefined, config: readConfig({ LOG_LEVEL: 'silent' }) });
    served.announce('http://127.0.0.1:4999');
    const { errors, log, windows } = await start({ folder });
    expect(errors).toEqual([expect.stringContaining('http://127.0.0.1:4999')]);
    expect(log.at(-1)).toBe('exit 1');
    expect(windows).toEqual([]);
    await served.close();
  });
});

describe('E14 the life of the server', () => {
  const answers = (url: string): Promise<boolean> => new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false));
  });

  it('E14 starts after ready, tells agents where, and is gone after quit', async () => {
    const { log, folder, quit } = await start();
    const { url } = readDiscovery(folder)!;
    expect(log.indexOf('ready')).toBeLessThan(log.indexOf('window'));
    expect(await answers(url)).toBe(true);
    await quit();
    expect(await answers(url)).toBe(false);
    expect(existsSync(path.join(folder, 'server.json'))).toBe(false);
    // Written back: the database is one file again.
    expect(existsSync(`${databaseFile(folder)}-wal`)).toBe(false);
  });

  it('E14 quitting twice drains once', async () => {
    const { app, log, quit } = await start();
    app.emit('before-quit', { preventDefault: () => undefined });
    await quit();
    expect(log.filter((entry) => entry.startsWith('exit'))).toEqual(['exit 0']);
  });

  it('a port that is taken: another one, and everybody is told', async () => {
    const other = createServer().listen(DEFAULT_PORT, '127.0.0.1');
    // Where another program has the default port already, that is the case as well.
    await new Promise((resolve) => other.once('listening', resolve).once('error', resolve));
    stops.push(async () => other.close());
    const { boxes, folder, ipc, windows, menus } = await start({ env: { EVIDENCE_STUDIO_PORT: undefined } });
    const { url } = readDiscovery(folder)!;
    expect(url).not.toContain(String(DEFAULT_PORT));
    const { webContents } = windows[0]!;
    const status = await ipc.get('desktop:status')!({ sender: webContents, senderFrame: webContents.mainFrame }, {});
    expect(status).toMatchObject({ value: { api_url: url, notices: [expect.stringContaining(url)] } });
    expect(boxes).toEqual([expect.objectContaining({ type: 'info', detail: expect.stringContaining(url) as string })]);
    expect(JSON.stringify(menus.at(-1))).toContain(`API: ${url} (${DEFAULT_PORT} was taken)`);
  });

  it('an error nobody foresaw is logged and ends the application at once', async () => {
    const { process, log, lines } = await start();
    process.emit('uncaughtException', new TypeError('with a secret'));
    expect(log.at(-1)).toBe('exit 1');
    expect(lines.some((line) => line.includes('"level":60') && line.includes('TypeError') && !line.includes('with a secret'))).toBe(true);
  });
});

describe('E17 debug switches', () => {
  const SWITCHES = ['--remote-debugging-port=9222', '--remote-debugging-pipe', '--inspect', '--inspect=0', '--inspect-brk', '--inspect-port=1', '--js-flags=--expose-gc', '--no-sandbox', '-inspect', '--INSPECT'];
  for (const argument of SWITCHES) {
    it(`E17 ${argument}: a packaged application quits, nothing is opened`, async () => {
      const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const { log, folder } = await start({ packaged: true, argv: ['app', argument] });
      expect(said).toHaveBeenCalledTimes(1);
      expect(log).toEqual(['exit 1']);
      expect(existsSync(databaseFile(folder))).toBe(false);
    });
  }
  it('E17 in development they are allowed', async () => {
    expect((await start({ argv: SWITCHES })).windows).toHaveLength(1);
  });
  it('E17 other arguments are nobody’s business', async () => {
    expect((await start({ packaged: true, argv: ['--enable-features=x', 'inspect', 'file--inspect'] })).windows).toHaveLength(1);
  });
});

describe('a start that fails is said in one sentence', () => {
  it('a file that is no database: the newest backup is offered and put in place, the damaged file kept', async () => {
    const folder = await withBackup();
    writeFileSync(databaseFile(folder), 'X'.repeat(8_192));
    const { boxes, windows, protocols } = await start({ folder, answers: [0] });
    expect(boxes[0]?.buttons).toEqual(['Restore the Newest Backup', 'Quit']);
    expect(windows).toHaveLength(1);
    const projects = await (await protocols.get('app')!(new Request('app://studio/api/v1/projects'))).json();
    expect(projects).toMatchObject({ data: [{ name: 'kept' }] });
    const aside = path.join(folder, 'set-aside');
    expect(existsSync(aside)).toBe(true);
  });

  it('a damaged database opens for reading if that is what the person wants', async () => {
    const folder = await withBackup();
    const bytes = readFileSync(databaseFile(folder));
    // Pages in the middle: the header and the schema are whole, an index or a table is not.
    bytes.fill(0x5a, Math.floor(bytes.length / 4096 / 2) * 4096, Math.floor(bytes.length / 4096 / 2) * 4096 + 3 * 4096);
    writeFileSync(databaseFile(folder), bytes);
    const { boxes, windows, ipc } = await start({ folder, answers: [1] });
    expect(boxes[0]?.buttons).toEqual(['Restore the Newest Backup', 'Open for Reading', 'Quit']);
    expect(windows).toHaveLength(1);
    const contents = windows[0]!.webContents;
    const status = await ipc.get('desktop:status')!({ sender: contents, senderFrame: contents.mainFrame }, {});
    expect(status).toMatchObject({ ok: true, value: { notices: [expect.stringContaining('damaged')] } });
    expect(boxes[1]).toMatchObject({ type: 'info', detail: expect.stringContaining('damaged') as string });
  });

  it('a damaged database without a backup: quit leaves everything as it is', async () => {
    const folder = newFolder();
    writeFileSync(databaseFile(folder), 'X'.repeat(8_192));
    const { boxes, log, windows } = await start({ folder, answers: [0] });
    expect(boxes[0]).toMatchObject({ buttons: ['Quit'], detail: expect.stringContaining('no backup') as string });
    expect(log.at(-1)).toBe('exit 0');
    expect(windows).toEqual([]);
    expect(readFileSync(databaseFile(folder), 'utf8')).toBe('X'.repeat(8_192));
  });

  it('a truncated database is damage too', async () => {
    const folder = await withBackup();
    truncateSync(databaseFile(folder), 4096 * 5);
    const { boxes } = await start({ folder, answers: [0] });
    expect(boxes[0]?.message).toContain('damaged');
  });
});

describe('the page', () => {
  it('that crashes is loaded again; one that keeps crashing is the person’s decision', async () => {
    const { windows, boxes, log } = await start({ answers: [1] });
    const { webContents } = windows[0]!;
    for (let crash = 0; crash < 3; crash += 1) webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
    expect(webContents.calls).toEqual(['reload', 'reload']);
    await vi.waitFor(() => expect(log).toContain('quit'));
    expect(boxes.at(-1)?.buttons).toEqual(['Load It Again', 'Quit']);
  });

  it('that ends on purpose is left alone', async () => {
    const { windows } = await start();
    windows[0]!.webContents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 });
    expect(windows[0]!.webContents.calls).toEqual([]);
  });

  it('that hangs is asked about once', async () => {
    const { windows, boxes } = await start({ answers: [1] });
    windows[0]!.emit('unresponsive');
    windows[0]!.emit('unresponsive');
    await vi.waitFor(() => expect(windows[0]!.webContents.calls).toEqual(['reload']));
    expect(boxes).toHaveLength(1);
  });
});
