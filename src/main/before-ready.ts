import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ElectronLike } from './electron-like.ts';
import { denyNavigation } from './guards.ts';
import { registerScheme } from './protocol.ts';
import { refusal, refusedSwitch } from './switches.ts';

/**
 * Puts Electron's own files (the page's IndexedDB, its logs) into the data folder; if that takes no
 * writes, into a temporary folder that is thrown away.
 */
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

/**
 * Does everything that must happen before Electron is ready. Returns false if this process must not
 * go on; nothing has been opened then.
 */
export function prepareApplication(
  { app, protocol }: Pick<ElectronLike, 'app' | 'protocol'>,
  dataFolder: string,
  argv: readonly string[],
): boolean {
  const refused = refusedSwitch(argv, app.isPackaged);
  if (refused !== undefined) {
    console.error(refusal(refused));
    app.exit(1);
    return false;
  }
  // Electron's single-instance lock is in this folder, so each data folder has one instance.
  app.setPath('userData', browserProfile(dataFolder));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return false;
  }
  // A packaged application never uses this switch. Some checks run as root, where Chromium's
  // sandbox does not work.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.commandLine.appendSwitch('disable-http-cache');
  registerScheme(protocol);
  denyNavigation(app);
  return true;
}
