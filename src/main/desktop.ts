import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import type { Config } from '../server/config/config.ts';
import { describeError } from '../server/instance/logger.ts';
import { createStudioFiles } from '../server/pages/studio-files.ts';
import { prepareApplication } from './before-ready.ts';
import type { ElectronLike, Preventable } from './electron-like.ts';
import { sentenceFor } from './failures.ts';
import { createForwarder } from './forward.ts';
import { examineStudio } from './examine.ts';
import { denyPermissions } from './guards.ts';
import { handleIpc } from './ipc.ts';
import { openKeyStore } from './key-store.ts';
import { openLink } from './links.ts';
import { menuTemplate } from './menu.ts';
import { savePdf } from './page-output.ts';
import { type ToShow, openingIn, showVerdict } from './opening.ts';
import { say, speakAs } from './say.ts';
import { systemFetch } from './network.ts';
import { createProtocolHandler } from './protocol.ts';
import { dieOnUnforeseen, shutDownBeforeQuit } from './quit.ts';
import { restoreChosenBackup } from './restore-command.ts';
import { openStudio, type Studio } from './studio.ts';
import { actOn, attachUpdates, markWhenShown, noticesOf } from './updates/attach.ts';
import type { Updates } from './updates/updates.ts';
import { createWindows, type Windows } from './windows.ts';

const Strings = z.array(z.string());

export interface DesktopPorts {
  config: Config;
  dataFolder: string;
  argv: readonly string[];
  platform: NodeJS.Platform;
  process: Pick<NodeJS.Process, 'on'>;
  /** Folder of the built main process; preload and renderer are beside it. */
  built: string;
  /** Folder of what a package brings beside the program: licences and SBOM. */
  resources: string;
  /** The first file of the store's thread, where it is built; its source if not said. */
  threadFile?: URL;
  log: DestinationStream;
}

/**
 * Runs the application. Everything that must happen before Electron is ready has happened when this
 * returns its promise.
 */
export async function startDesktop(electron: ElectronLike, ports: DesktopPorts): Promise<void> {
  const { app, dialog } = electron;
  if (!prepareApplication(electron, ports.dataFolder, ports.argv)) return;
  let windows: Windows | undefined;
  // What is asked for before there is a window is shown once there is one.
  let opening = openingIn(ports.argv, process.cwd());
  const show = (next: ToShow | undefined): void => {
    if (windows === undefined) {
      opening = next ?? opening;
      return;
    }
    windows.show();
    if (next === undefined) return;
    if ('page' in next) windows.goTo(next.page);
    else showVerdict(dialog, next.file).catch(() => undefined);
  };
  app.on('second-instance', (_event: unknown, argv: unknown, folder: unknown) =>
    show(openingIn(Strings.safeParse(argv).data ?? [], typeof folder === 'string' ? folder : '/')),
  );
  // A Mac says it so.
  for (const name of ['open-url', 'open-file'])
    app.on(name, (event: Preventable, what: unknown) => {
      event.preventDefault();
      show(openingIn(typeof what === 'string' ? [what] : [], '/'));
    });
  app.on('activate', () => windows?.show());
  app.on('window-all-closed', () => {
    if (ports.platform !== 'darwin') app.quit();
  });
  await app.whenReady();
  speakAs(app.getLocale());
  try {
    denyPermissions(electron.session.defaultSession);
    const rendererRoot = path.join(ports.built, '../renderer');
    const secretStore = await openKeyStore(electron.safeStorage, ports.platform, app.isPackaged);
    const studio = await openStudio({
      dialog,
      config: ports.config,
      folder: ports.dataFolder,
      rendererRoot,
      secretStore,
      fetch: systemFetch(electron),
      version: app.getVersion(),
      log: ports.log,
      threadFile: ports.threadFile,
    });
    if (studio === undefined) return app.exit(0);
    windows = openWindow(electron, ports, studio, rendererRoot);
    if (opening !== undefined) show(opening);
  } catch (error) {
    ports.log.write(
      `${JSON.stringify({ level: 60, msg: 'the start failed', error: describeError(error) })}\n`,
    );
    dialog.showErrorBox(say('Evidence Studio cannot start'), sentenceFor(error));
    app.exit(1);
  }
}

function openWindow(
  electron: ElectronLike,
  ports: DesktopPorts,
  studio: Studio,
  rendererRoot: string,
): Windows {
  const { app, dialog, protocol } = electron;
  const { logger } = studio.composed;
  dieOnUnforeseen(ports.process, app, (error) =>
    logger.fatal({ error: describeError(error) }, 'unforeseen error'),
  );
  protocol.handle(
    'app',
    createProtocolHandler({
      files: createStudioFiles(rendererRoot),
      forward: createForwarder(studio.server.connectInProcess),
      nonce: () => randomBytes(18).toString('base64'),
    }),
  );
  const windows = createWindows(electron, {
    dialog,
    dataFolder: ports.dataFolder,
    preload: path.join(ports.built, '../preload/index.cjs'),
    elapsed: () => performance.now(),
    log: (message, facts) => logger.error(facts, message),
    quit: () => app.quit(),
  });
  const updates = attachUpdates(electron, {
    ...ports,
    log: (facts, message) => logger.warn(facts, message),
    windows,
  });
  studio.notices.push(...noticesOf(updates));
  const close = async (): Promise<void> => {
    windows.save();
    await studio.close();
    updates.beforeExit();
  };
  shutDownBeforeQuit(app, close, () => logger.error('the application did not end in time'));
  answerPage(electron, studio, windows, updates);
  setMenu(electron, ports, studio, windows);
  windows.show();
  markWhenShown(windows, ports.dataFolder);
  return windows;
}

/** Answers what the page asks of the desktop. */
function answerPage(
  electron: ElectronLike,
  studio: Studio,
  windows: Windows,
  updates: Updates,
): void {
  const { app, dialog, ipcMain, shell } = electron;
  const { logger } = studio.composed;
  handleIpc(
    {
      ipcMain,
      isOurWindow: windows.isOurs,
      onError: (channel, error) =>
        logger.error({ channel, error: describeError(error) }, 'a request of the page failed'),
    },
    {
      'desktop:status': () => ({
        version: app.getVersion(),
        api_url: studio.server.url,
        notices: studio.notices,
      }),
      'desktop:open-external': async ({ link }) => ({
        opened: await openLink(shell, link, studio.server.url),
      }),
      'desktop:save-pdf': async (_, sender) => ({ saved: await savePdf(sender, dialog) }),
      'desktop:examine': () => examineStudio(electron, studio),
      'desktop:updates': ({ act }) => actOn(updates, act),
      'desktop:edit-text': ({ command }, sender) => {
        sender[command]();
        return {};
      },
    },
  );
}

function setMenu(
  electron: ElectronLike,
  ports: DesktopPorts,
  studio: Studio,
  windows: Windows,
): void {
  const { app, dialog, Menu, shell } = electron;
  const { logger } = studio.composed;
  const { url, moved } = studio.server;
  const report = (error: unknown): void => {
    logger.error({ error: describeError(error) }, 'a menu command failed');
    dialog.showErrorBox(say('This did not work'), sentenceFor(error));
  };
  const contents = () => windows.current()?.webContents;
  app.setAboutPanelOptions({
    applicationName: 'Evidence Studio',
    applicationVersion: app.getVersion(),
    copyright: app.isPackaged
      ? say('MIT licence. The licences of all parts: Help, Licences.')
      : say('MIT licence.'),
    credits: say('A result states evidence sufficiency under one profile, never truth.'),
  });
  const template = menuTemplate(
    {
      act: windows.act,
      openWindow: windows.openAnother,
      setTheme: windows.setTheme,
      reload: () => contents()?.reload(),
      print: () => contents()?.print(),
      savePdf: () => {
        const page = contents();
        if (page !== undefined) savePdf(page, dialog).catch(report);
      },
      restoreBackup: () => void restoreChosenBackup(electron, studio).catch(report),
      openManual: () => void openLink(shell, 'manual', url).catch(report),
      openDocs: () => void openLink(shell, 'api-docs', url).catch(report),
      showDataFolder: () => void shell.openPath(ports.dataFolder).catch(report),
      about: () => app.showAboutPanel(),
      openLicences: () =>
        void shell.openPath(path.join(ports.resources, 'parts/LICENCES.txt')).catch(report),
    },
    {
      platform: ports.platform,
      theme: windows.theme(),
      isPackaged: app.isPackaged,
      address:
        moved === undefined
          ? `API: ${url}`
          : say('API: {url} ({port} was taken)', { url, port: moved.from }),
    },
  );
  Menu.setApplicationMenu(Menu.buildFromTemplate(template) as never);
}
