import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { databaseFile } from './data-folder.ts';
import type { Store } from '../storage/store.ts';

type BackupKind = 'daily' | 'weekly';
const KEPT: Record<BackupKind, number> = { daily: 7, weekly: 4 };
const WEEK = 7 * 86_400_000;
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-(\d{6,}))?-(daily|weekly)\.sqlite$/;

/** `20261120T172200Z`: sorting the names alphabetically sorts them by time. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function folderOf(dataFolder: string): string {
  return path.join(dataFolder, 'backups');
}

interface Backup {
  name: string;
  kind: BackupKind;
  /** By this machine's clock, which may have been wrong. */
  at: number;
  /**
   * Counts the backups of a folder in the order in which they were written; 0 for those without a
   * number in their name.
   */
  number: number;
}

/**
 * The backups of a folder, newest first: by number, so that one written while the clock ran ahead
 * is not taken for the newest of all.
 */
function backupsIn(folder: string): Backup[] {
  const found = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name): Backup[] => {
    const [, y, mo, d, h, mi, s, number, kind] = NAME.exec(name) ?? [];
    if (kind === undefined) return [];
    return [
      {
        name,
        kind: kind as BackupKind,
        at: Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s)),
        number: Number(number ?? 0),
      },
    ];
  });
  return found.toSorted((a, b) => b.number - a.number || b.at - a.at || (a.name < b.name ? 1 : -1));
}

/**
 * Every copy that could be restored, newest first: daily and weekly ones, and those made before a
 * migration, of which only the clock says when.
 */
export function listBackups(dataFolder: string): string[] {
  const folder = folderOf(dataFolder);
  const files = backupsIn(folder).map(({ name, at }) => ({ file: path.join(folder, name), at }));
  const beforeMigration = (existsSync(dataFolder) ? readdirSync(dataFolder) : [])
    .filter(
      (name) =>
        name.startsWith(`${path.basename(databaseFile(dataFolder))}.v`) && name.endsWith('.backup'),
    )
    .map((name) => path.join(dataFolder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .toSorted((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1));
  for (const one of beforeMigration) {
    const older = files.findIndex(({ at }) => at < one.at);
    files.splice(older < 0 ? files.length : older, 0, one);
  }
  return files.map(({ file }) => file);
}

/** Gives the backup a second name by a hard link: the bytes never change. */
function copy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/**
 * Writes the day's backup unless the newest one is of this day, keeps one a week, and deletes the
 * oldest beyond 7 daily and 4 weekly ones. A backup dated ahead of the clock counts as one of
 * another day. Resolves with the new file.
 */
export async function keepBackups(
  store: Pick<Store, 'backup' | 'engine' | 'health'>,
  dataFolder: string,
  now: number,
): Promise<string | undefined> {
  // A backup of a damaged database would displace a good one.
  if (store.engine !== 'sqlite' || !store.health().ok) return undefined;
  const folder = folderOf(dataFolder);
  const stamp = stampOf(now);
  const present = backupsIn(folder);
  const newest = present.find(({ kind }) => kind === 'daily');
  if (newest !== undefined && stampOf(newest.at).slice(0, 8) === stamp.slice(0, 8))
    return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const number = String((present[0]?.number ?? 0) + 1).padStart(6, '0');
  const file = path.join(folder, `${stamp}-${number}-daily.sqlite`);
  await store.backup(file);
  const lastWeekly = present.find(({ kind }) => kind === 'weekly');
  if (lastWeekly === undefined || Math.abs(now - lastWeekly.at) >= WEEK)
    copy(file, path.join(folder, `${stamp}-${number}-weekly.sqlite`));
  for (const kind of ['daily', 'weekly'] as const) {
    for (const old of backupsIn(folder)
      .filter((one) => one.kind === kind)
      .slice(KEPT[kind]))
      rmSync(path.join(folder, old.name), { force: true });
  }
  return file;
}
