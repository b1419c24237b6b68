/** Starts the built desktop application under Playwright. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { _electron, type ElectronApplication } from '@playwright/test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PACKAGE = path.join(ROOT, 'node_modules/electron');
const LAUNCH_WITHIN = 30_000;

export interface Launch {
  /** The application's data folder: one of the test's own. */
  data: string;
  env?: Record<string, string>;
  args?: readonly string[];
}

/**
 * Electron's executable: in ELECTRON_OVERRIDE_DIST_PATH, else where the package `electron` has put
 * its runtime.
 */
export function findElectron(): string {
  const pathFile = path.join(PACKAGE, 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron';
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const executable = path.join(
    override === undefined || override === '' ? path.join(PACKAGE, 'dist') : override,
    name,
  );
  if (!existsSync(executable))
    throw new Error(
      'There is no Electron runtime: run `npx install-electron`, or name its folder in ELECTRON_OVERRIDE_DIST_PATH.',
    );
  return executable;
}

/**
 * Opens the application. With `executablePath` Playwright adds only `--inspect=0
 * --remote-debugging-port=0`; `ready` must come by itself, so the main module may not await
 * `app.whenReady()` at its top level. `--no-sandbox` because tests run as root in places.
 */
export async function launchDesktop({
  data,
  env = {},
  args = [],
}: Launch): Promise<ElectronApplication> {
  if (!existsSync(path.join(ROOT, 'out/main/index.js')))
    throw new Error('The application is not built: npm run build.');
  return _electron.launch({
    executablePath: findElectron(),
    args: ['--no-sandbox', ROOT, ...args],
    env: { ...inherited(), EVIDENCE_STUDIO_DATA: data, ...env },
    timeout: LAUNCH_WITHIN,
  });
}

/** The environment without what would turn Electron into plain Node. */
function inherited(): Record<string, string> {
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...rest } = process.env;
  return Object.fromEntries(
    Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Ends the application as a power cut would, and waits until it is gone. */
export async function killDesktop(app: ElectronApplication): Promise<void> {
  const gone = app.waitForEvent('close');
  app.process().kill('SIGKILL');
  await gone;
}
