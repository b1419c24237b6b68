import { chmodSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readDiscovery } from './discovery.ts';
import { SQLITE, sqliteCode } from './storage/errors.ts';

/** The system's folder for an application's own data. Desktop and command line use the same one. */
function applicationData(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return path.join(os.homedir(), 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA ?? path.join(os.homedir(), 'AppData', 'Roaming');
  return env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : path.join(os.homedir(), '.local', 'share');
}

/** Where everything of this studio lives: as asked, else `EVIDENCE_STUDIO_DATA`, else the system's place. */
export function dataFolder(asked: string | undefined, platform: NodeJS.Platform = process.platform, env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(asked ?? (env.EVIDENCE_STUDIO_DATA || path.join(applicationData(platform, env), 'evidence-studio')));
}

export function databaseFile(folder: string): string {
  return path.join(folder, 'evidence.sqlite');
}

/** Makes the folder if need be, for its owner alone, and every file made later by this process too. A write-protected folder stays as it is. */
export function prepareFolder(folder: string): void {
  process.umask(0o077);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    chmodSync(folder, 0o700);
  } catch {
    // Not ours to change: the store says what can be done in it.
  }
}

/** Another server has this folder open. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';
  readonly code = 'folder_in_use';
  readonly url: string | undefined;
  constructor(url: string | undefined) {
    super(`Another Evidence Studio is using this data folder${url === undefined ? '' : `, at ${url}`}. Close it first.`);
    this.url = url;
  }
}

/**
 * Makes this process the folder's only server until `release`, or throws FolderInUseError. The lock is SQLite's own on a file of its own, so
 * the system takes it back however the process ends.
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
    // Nobody writes into a write-protected folder: the store opens it for reading, or says why not.
    if (code === SQLITE.READONLY || code === SQLITE.CANTOPEN) return { release: () => undefined };
    throw error;
  }
  const held = lock;
  return { release: () => held.close() };
}
