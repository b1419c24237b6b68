import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inThread } from './sqlite-thread.ts';

type Verdict = 'whole' | 'damaged' | 'incomplete';

export class BackupError extends Error {
  override name = 'BackupError';
}

/**
 * Copies `source` into the empty file `copy` and checks the copy. The function is run in a thread
 * from its own text, so it may use nothing but its parameters.
 */
function copyDatabase(Database: typeof DatabaseSync, source: string, copy: string): Verdict {
  // These tables only grow: a copy must contain at least what they held before it was made, and at
  // most what they held after.
  const tables = ['changes', 'runs', 'profiles', 'projects', 'cases', 'items', 'cells'];
  const count = (db: DatabaseSync): number[] =>
    tables.map((table) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']));
  const from = new Database(source, { readOnly: true });
  try {
    from.exec('PRAGMA busy_timeout=5000');
    const before = count(from);
    from.prepare('VACUUM INTO ?').run(copy);
    const made = new Database(copy, { readOnly: true });
    try {
      const { integrity_check: answer } = made.prepare('PRAGMA integrity_check').get() ?? {};
      if (answer !== 'ok') return 'damaged';
      const after = count(from);
      return count(made).every(
        (n, index) => n >= (before[index] as number) && n <= (after[index] as number),
      )
        ? 'whole'
        : 'incomplete';
    } finally {
      made.close();
    }
  } finally {
    from.close();
  }
}

function refuse(verdict: Verdict): void {
  if (verdict === 'damaged')
    throw new BackupError('The backup did not pass the integrity check and was discarded.');
  if (verdict === 'incomplete') throw new BackupError('The backup lacks rows and was discarded.');
}

/** An empty file that is its owner's alone, beside `target`. */
function makePart(target: string): { file: string; part: string } {
  const file = path.resolve(target);
  const part = `${file}.part`;
  rmSync(part, { force: true });
  closeSync(openSync(part, 'wx', 0o600));
  return { file, part };
}

/** Windows cannot flush a folder; its renames are journalled. */
const FLUSHES_FOLDERS = process.platform !== 'win32';

function flushNow(target: string): void {
  const handle = openSync(target, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function flush(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a consistent copy of `source` to `target`: it is made beside the target, checked and
 * flushed to disk before it gets its name. Blocks this thread, so it is for the time before the
 * server answers requests.
 */
export function writeBackupNow(source: string, target: string): void {
  const { file, part } = makePart(target);
  try {
    refuse(copyDatabase(DatabaseSync, source, part));
    flushNow(part);
    renameSync(part, file);
    if (FLUSHES_FOLDERS) flushNow(path.dirname(file));
  } finally {
    if (existsSync(part)) rmSync(part);
  }
}

/** The same while `source` is being read and written. */
export async function writeBackup(source: string, target: string): Promise<void> {
  const { file, part } = makePart(target);
  try {
    // In a thread of its own, since it takes a second for every few hundred thousand cells.
    refuse(await inThread(copyDatabase, source, part));
    await flush(part);
    await rename(part, file);
    if (FLUSHES_FOLDERS) await flush(path.dirname(file));
  } finally {
    await rm(part, { force: true });
  }
}
