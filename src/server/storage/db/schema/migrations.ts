import { discussion } from './migrate-discussion.ts';
import { endedAccess } from './migrate-access.ts';
import { accountNumbers } from './migrate-account-numbers.ts';
import { firstTables } from './migrate-first.ts';
import { housekeeping } from './migrate-housekeeping.ts';
import { listsInOrder } from './migrate-lists.ts';
import { matrixState } from './migrate-matrix-state.ts';
import { profilesByDigest } from './migrate-profiles.ts';
import { outsideBlobs } from './migrate-outside-blobs.ts';
import { recordedBy } from './migrate-recorded-by.ts';
import { replication } from './migrate-replication.ts';
import { teams } from './migrate-teams.ts';
import { exchangeMigration } from './migrate-exchange.ts';
import { runCheckMigration } from './migrate-run-check.ts';
import { triedPasswords } from './migrate-tried-passwords.ts';
import { keyLimits } from './migrate-key-limits.ts';
import { notices } from './migrate-notices.ts';
import { runCounts } from './migrate-run-counts.ts';
import { runRecorders } from './migrate-run-recorders.ts';
import { rounds } from './migrate-rounds.ts';
import { senders } from './migrate-senders.ts';
import { signOff } from './migrate-sign-off.ts';
import { suggestions } from './migrate-suggestions.ts';
import { timeStamps } from './migrate-time-stamps.ts';
import type { SqlWords } from './sql-words.ts';

/**
 * Forward only: entry n takes a store from version n to n + 1. Never edit one that was released.
 */
export const MIGRATIONS: readonly ((words: SqlWords) => string[])[] = [
  firstTables,
  replication,
  teams,
  rowsByCase,
  recordedBy,
  matrixState,
  exchangeMigration,
  runCheckMigration,
  profilesByDigest,
  senders,
  endedAccess,
  triedPasswords,
  runRecorders,
  listsInOrder,
  runCounts,
  accountNumbers,
  outsideBlobs,
  housekeeping,
  suggestions,
  rounds,
  discussion,
  signOff,
  keyLimits,
  notices,
  timeStamps,
];

/** Rows of one case are checked together; an index that nothing reads goes. */
function rowsByCase(w: SqlWords): string[] {
  return [...w.guardAtHand(), `DROP INDEX profiles_by_name`];
}
