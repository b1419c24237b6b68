import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  AppImageUpdater,
  type AppUpdater,
  MacUpdater,
  NsisUpdater,
  Provider,
  type ResolvedUpdateFileInfo,
  type UpdateInfo,
} from 'electron-updater';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { download } from './download.ts';
import { type Feed, UpdateRefused } from './feed.ts';
import { replaceProgram } from './put-back.ts';

export interface UpdaterPorts {
  dataFolder: string;
  version: string;
  platform: NodeJS.Platform;
  /** The program's own file, where that is what is replaced: an AppImage. */
  program: string | undefined;
  /** Address of the folder that has the files. */
  url: string;
  fetch: typeof globalThis.fetch;
  /** Ends the application. */
  quit(): void;
  whenReady(): Promise<unknown>;
}

/** Downloads what a signed list names, and installs it. */
export interface Updater {
  /** Rejects with `UpdateRefused`, also where it is ended by the signal. */
  download(feed: Feed, onPercent: (percent: number) => void, signal?: AbortSignal): Promise<void>;
  /** Installs what was downloaded, and starts it once this process has ended. */
  install(): void;
}

/** The signed list is the provider's answer: electron-updater asks for no list of its own. */
function providerOf(url: string, feed: () => Feed) {
  return class SignedProvider extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
      super(runtime);
    }
    async getLatestVersion(): Promise<UpdateInfo> {
      const { version, released_at, file } = feed();
      const { name, sha512, size } = file;
      const files = [{ url: name, sha512, size }];
      return { version, releaseDate: released_at, files, path: name, sha512 };
    }
    resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
      return info.files.map((one) => ({
        url: new URL(encodeURIComponent(one.url), url),
        info: one,
      }));
    }
    /** electron-updater would send a number of this installation with every request. */
    override setRequestHeaders(): void {}
  };
}

/** An AppImage is replaced in one step, and what it was is kept until the new one has started. */
class OneFileUpdater extends AppImageUpdater {
  replace: (file: string) => void = () => undefined;
  override isUpdaterActive(): boolean {
    return true;
  }
  protected override doInstall(): boolean {
    const file = this.installerPath;
    if (file === null) return false;
    this.replace(file);
    return true;
  }
}

function createFor(ports: UpdaterPorts): AppUpdater {
  const folder = path.join(ports.dataFolder, 'updates');
  const app = {
    version: ports.version,
    name: 'evidence-studio',
    isPackaged: true,
    appUpdateConfigPath: path.join(folder, 'cache.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: async () => void (await ports.whenReady()),
    relaunch: () => undefined,
    quit: ports.quit,
    onQuit: () => undefined,
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(app.appUpdateConfigPath, 'updaterCacheDirName: cache\n', { mode: 0o600 });
  if (ports.platform === 'win32') return new NsisUpdater(null, app);
  if (ports.platform === 'darwin') return new MacUpdater(undefined, app);
  return new OneFileUpdater(null, app);
}

/** electron-updater, held to the publisher's signature and to the data folder. */
export function createUpdater(ports: UpdaterPorts): Updater {
  const updater = createFor(ports);
  let offered:
    | { feed: Feed; onPercent(percent: number): void; signal: AbortSignal | undefined }
    | undefined;
  const present = (): NonNullable<typeof offered> => {
    if (offered === undefined) throw new Error('nothing was offered');
    return offered;
  };
  updater.logger = null;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableDifferentialDownload = true;
  updater.disableWebInstaller = true;
  Object.assign(updater, {
    httpExecutor: {
      download: (url: URL, file: string) =>
        download(url, file, { ...present(), fetch: ports.fetch }),
    },
  });
  updater.setFeedURL({
    provider: 'custom',
    updateProvider: providerOf(ports.url, () => present().feed),
  });
  // Errors reach whoever waits; without a listener they would end the process.
  updater.on('error', () => undefined);
  return {
    async download(feed, onPercent, signal) {
      offered = { feed, onPercent, signal };
      const { program, dataFolder } = ports;
      const { version } = feed;
      if (updater instanceof OneFileUpdater && program !== undefined)
        updater.replace = (file) => replaceProgram({ program, file, version, dataFolder });
      try {
        await updater.checkForUpdates();
        await updater.downloadUpdate();
      } catch (error) {
        throw error instanceof UpdateRefused ? error : new UpdateRefused('failed', { version });
      }
    },
    install: () => updater.quitAndInstall(true, true),
  };
}
