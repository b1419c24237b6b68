import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ElectronLike } from './electron-like.ts';
import { denyNavigation } from './guards.ts';
import { registerScheme } from './protocol.ts';
import { refusedSwitch } from './switches.ts';

/** Electron's own files (IndexedDB of the page, its logs) stay inside the data folder; where it takes no writes, in a folder that is thrown away. */
function browserProfile(dataFolder: string): string {
  const folder = path.join(dataFolder, 'window');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    const temporary = mkdtempSync(path.join(os.tmpdir(), 'evidence-studio-'));
    process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
    return temporary;
  }
}

/** Everything that must stand before Electron is ready. False where this process is not to go on: nothing has been opened then. */
export function prepareApplication({ app, protocol }: Pick<ElectronLike, 'app' | 'protocol'>, dataFolder: string, argv: readonly string[]): boolean {
  const refused = refusedSwitch(argv, app.isPackaged);
  if (refused !== undefined) {
    console.error(`Evidence Studio does not start with ${refused.split('=')[0]}.`);
    app.exit(1);
    return false;
  }
  // The lock lives in this folder: one instance for each data folder.
  app.setPath('userData', browserProfile(dataFolder));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return false;
  }
  // Only a packaged application never meets this switch: checks run as root in places, where Chromium has no sandbox.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.commandLine.appendSwitch('disable-http-cache');
  registerScheme(protocol);
  denyNavigation(app);
  return true;
}
