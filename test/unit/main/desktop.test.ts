import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { composeServer } from '../../../src/server/compose.ts';
import { DEFAULT_PORT } from '../../../src/server/config/environment.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { databaseFile } from '../../../src/server/instance/data-folder.ts';
import { readDiscovery } from '../../../src/server/instance/discovery.ts';
import { newFolder, start, stops } from './start.ts';

describe('E2 the window', () => {
  it('E2 E13 is made once, with exactly these preferences and the one preload', async () => {
    const { windows, built } = await start();
    expect(windows).toHaveLength(1);
    expect(windows[0]?.options.webPreferences).toEqual({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: true,
      preload: path.join(built, '../preload/index.cjs'),
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
    expect(await (await handler?.(new Request('app://studio/studio')))?.text()).toBe(
      '<p>the page</p>',
    );
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
    for (const argv of [
      [],
      ['--inspect'],
      ['evidence-studio://open/run/..%2f'],
      ['--remote-debugging-port=1'],
    ])
      app.emit('second-instance', {}, argv);
    expect(new Set(windows[0]?.calls)).toEqual(new Set(['restore', 'show', 'focus']));
    expect(log.filter((entry) => entry === 'window')).toHaveLength(1);
  });

  it('E11 a server of the command line on the same folder is named, and the application ends', async () => {
    const folder = newFolder();
    const served = await composeServer({
      dataDir: folder,
      home: 'local',
      rendererRoot: undefined,
      config: readConfig({ LOG_LEVEL: 'silent' }),
    });
    served.announce('http://127.0.0.1:4999');
    const { errors, log, windows } = await start({ folder });
    expect(errors).toEqual([expect.stringContaining('http://127.0.0.1:4999')]);
    expect(log.at(-1)).toBe('exit 1');
    expect(windows).toEqual([]);
    await served.close();
  });
});

describe('E14 the life of the server', () => {
  const answers = (url: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(
        Number(new URL(url).port),
        '127.0.0.1',
        () => (socket.destroy(), resolve(true)),
      ).on('error', () => resolve(false));
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

  it('quitting remembers the window, which Electron then destroys without a word', async () => {
    const { folder, quit } = await start();
    await quit();
    expect(JSON.parse(readFileSync(path.join(folder, 'window.json'), 'utf8'))).toEqual({
      bounds: { x: 10, y: 20, width: 900, height: 700 },
      maximized: false,
      theme: 'system',
      page: '/studio',
    });
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
    const { boxes, folder, ipc, windows, menus } = await start({
      env: { EVIDENCE_STUDIO_PORT: undefined },
    });
    const { url } = readDiscovery(folder)!;
    expect(url).not.toContain(String(DEFAULT_PORT));
    const { webContents } = windows[0]!;
    const status = await ipc.get('desktop:status')!(
      { sender: webContents, senderFrame: webContents.mainFrame },
      {},
    );
    expect(status).toMatchObject({
      value: { api_url: url, notices: [expect.stringContaining(url)] },
    });
    expect(boxes).toEqual([]);
    expect(JSON.stringify(menus.at(-1))).toContain(`API: ${url} (${DEFAULT_PORT} was taken)`);
  });

  it('an error nobody foresaw is logged and ends the application at once', async () => {
    const { process, log, lines } = await start();
    process.emit('uncaughtException', new TypeError('with a secret'));
    expect(log.at(-1)).toBe('exit 1');
    expect(
      lines.some(
        (line) =>
          line.includes('"level":60') &&
          line.includes('TypeError') &&
          !line.includes('with a secret'),
      ),
    ).toBe(true);
  });
});

describe('E17 debug switches', () => {
  const SWITCHES = [
    '--remote-debugging-port=9222',
    '--remote-debugging-pipe',
    '--inspect',
    '--inspect=0',
    '--inspect-brk',
    '--inspect-port=1',
    '--js-flags=--expose-gc',
    '--no-sandbox',
    '-inspect',
    '--INSPECT',
  ];
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
    expect(
      (await start({ packaged: true, argv: ['--enable-features=x', 'inspect', 'file--inspect'] }))
        .windows,
    ).toHaveLength(1);
  });
});
