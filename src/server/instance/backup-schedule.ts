import path from 'node:path';
import { serverOrigin } from '../audit/entries.ts';
import type { Deps } from '../context/deps.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { Store } from '../storage/store.ts';
import { keepBackups } from './backups.ts';
import { describeError } from './logger.ts';

/**
 * Milliseconds after the start before the first backup, so that it does not slow the start down.
 */
const FIRST_BACKUP_MS = 60_000;
const BACKUP_EVERY_MS = 3_600_000;

/**
 * Noted in the audit trail after the backup is made, so that the trail never names one that does
 * not exist.
 */
export function noteBackup(store: Store, by: AuditOrigin, file: string): Promise<void> {
  return store.transact(async (writer) => {
    writer.audit.by(by);
    writer.audit.add({ action: 'backup.created', object: path.basename(file) });
  }, by.account_id);
}

/** Keeps backups of a running server's database, every hour, until it is stopped. */
export function scheduleBackups(
  { store, clock, logger }: Pick<Deps, 'store' | 'clock' | 'logger'>,
  folder: string,
): { stop(): void } {
  async function backUp(): Promise<void> {
    const file = await keepBackups(store, folder, clock.now());
    if (file !== undefined) await noteBackup(store, serverOrigin(store.local.account_id), file);
  }
  let timer = setTimeout(run, FIRST_BACKUP_MS).unref();
  function run(): void {
    backUp()
      .catch((error: unknown) =>
        logger.error({ error: describeError(error) }, 'no backup was written'),
      )
      .finally(() => (timer = setTimeout(run, BACKUP_EVERY_MS).unref()));
  }
  return { stop: () => clearTimeout(timer) };
}
