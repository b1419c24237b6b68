import { chmodSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readDiscovery } from './discovery.ts';
import { SQLITE, sqliteCode } from '../storage/db/errors.ts';

/** The platform's folder for application data. Desktop and command line use the same one. */
function applicationData(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return path.join(os.homedir(), 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA ?? path.join(os.homedir(), 'AppData', 'Roaming');
  return env.XDG_DATA_HOME?.startsWith('/')
    ? env.XDG_DATA_HOME
    : path.join(os.homedir(), '.local', 'share');
}

/** The data folder: as asked for, else `EVIDENCE_STUDIO_DATA`, else the platform's place. */
export function dataFolder(
  asked: string | undefined,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string {
  return path.resolve(
    asked ??
      (env.EVIDENCE_STUDIO_DATA || path.join(applicationData(platform, env), 'evidence-studio')),
  );
}

export function databaseFile(folder: string): string {
  return path.join(folder, 'evidence.sqlite');
}

/**
 * Creates the folder if needed, for its owner alone, and makes every file that this process creates
 * later private too. A write-protected folder is left as it is.
 */
export function prepareFolder(folder: string): void {
  process.umask(0o077);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    chmodSync(folder, 0o700);
  } catch {
    // The mode is not ours to change; opening the store will say what is possible.
  }
}

/** Another server has this folder open. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';
  readonly code = 'folder_in_use';
  readonly url: string | undefined;
  constructor(url: string | undefined) {
    super(
      `Another Evidence Studio is using this data folder${url === undefined ? '' : `, at ${url}`}. Close it first.`,
    );
    this.url = url;
  }
}

/**
 * Makes this process the folder's only server until `release`, or throws FolderInUseError. The lock
 * is one that SQLite holds on a separate file, so the system releases it however the process ends.
 */
export function lockFolder(folder: string): { release(): void } {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path.join(folder, 'server.lock'));
    lock.exec('PRAGMA busy_timeout=0; PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const code = sqliteCode(error);
    if (code === SQLITE.BUSY) throw new FolderInUseError(readDiscovery(folder)?.url);
    // A write-protected folder cannot be locked and need not be, since nobody writes to it. Opening
    // the store will say what is possible.
    if (code === SQLITE.READONLY || code === SQLITE.CANTOPEN) return { release: () => undefined };
    throw error;
  }
  const held = lock;
  return { release: () => held.close() };
}
