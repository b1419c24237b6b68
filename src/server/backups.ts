import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { databaseFile } from './data-folder.ts';
import type { Store } from './storage/port.ts';

type Kind = 'daily' | 'weekly';
const KEPT: Record<Kind, number> = { daily: 7, weekly: 4 };
const WEEK = 7 * 86_400_000;
const NAME = /^(\d{8}T\d{6}Z)-(daily|weekly)\.sqlite$/;

/** `20261120T172200Z`: sorting the names alphabetically sorts them by time. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function folderOf(dataFolder: string): string {
  return path.join(dataFolder, 'backups');
}

function namesOf(folder: string, kind: Kind): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => NAME.exec(name)?.[2] === kind).toSorted().toReversed();
}

function timeOf(name: string): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
}

/** Every copy that could be restored, newest first: daily and weekly ones, and those made before a migration. */
export function listBackups(dataFolder: string): string[] {
  const folder = folderOf(dataFolder);
  const kept = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => NAME.test(name)).map((name) => ({ file: path.join(folder, name), at: timeOf(name) }));
  const beforeMigration = (existsSync(dataFolder) ? readdirSync(dataFolder) : [])
    .filter((name) => name.startsWith(`${path.basename(databaseFile(dataFolder))}.v`) && name.endsWith('.backup'))
    .map((name) => path.join(dataFolder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }));
  return [...kept, ...beforeMigration].toSorted((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1)).map(({ file }) => file);
}

/** Gives the backup a second name by a hard link: the bytes never change. */
function copy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Writes the day's backup if there is none yet, keeps one a week, and deletes the oldest beyond 7 daily and 4 weekly ones. Resolves with the new file. */
export async function keepBackups(store: Pick<Store, 'backup' | 'engine' | 'health'>, dataFolder: string, now: number): Promise<string | undefined> {
  // A backup of a damaged database would displace a good one.
  if (store.engine !== 'sqlite' || !store.health().ok) return undefined;
  const folder = folderOf(dataFolder);
  const stamp = stampOf(now);
  const newest = namesOf(folder, 'daily')[0];
  if (newest !== undefined && newest.slice(0, 8) >= stamp.slice(0, 8)) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${stamp}-daily.sqlite`);
  await store.backup(file);
  const lastWeekly = namesOf(folder, 'weekly')[0];
  if (lastWeekly === undefined || now - timeOf(lastWeekly) >= WEEK) copy(file, path.join(folder, `${stamp}-weekly.sqlite`));
  for (const kind of ['daily', 'weekly'] as const) {
    for (const old of namesOf(folder, kind).slice(KEPT[kind])) rmSync(path.join(folder, old), { force: true });
  }
  return file;
}
