import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqlite } from '../../src/server/storage/db/sqlite/sqlite.ts';

async function migrate(): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-migrated-'));
  const file = path.join(folder, 'evidence.sqlite');
  await openSqlite({ file, allowOldSqlite: false }).close();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}

let migrated: Promise<Buffer> | undefined;

/**
 * Begins a store's file, with all migrations done and nothing in it: they are most of what a new
 * store costs, and are done once for all files of a process.
 */
export async function putMigrated(file: string): Promise<void> {
  writeFileSync(file, await (migrated ??= migrate()), { mode: 0o600 });
}
