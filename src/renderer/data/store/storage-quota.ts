import type { Timers } from '../../../sync/loop.ts';
import type { Database } from './db.ts';
import { t } from '../../text/t.ts';

const NOT_STORED = t('This device could not store your last change; it is no longer shown.');
const FULL = t('This device is full. Nothing more is taken until there is space again.');
const FULL_AT_EDIT = t(
  'This device is full: your last change could not be stored and is no longer shown. Nothing more is taken until there is space again.',
);
const TRY_MS = 5_000;
/**
 * Written to find out whether a full device has room again; larger than the rows of the smallest
 * command.
 */
const PROBE = 'x'.repeat(65_536);

const isQuota = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'QuotaExceededError' ||
    ('inner' in error && error.inner !== error && isQuota(error.inner)));

/**
 * Whether this device can store what is written. A full device takes no edits until it has room
 * again, which is checked from time to time.
 */
export class StorageQuota {
  readonly #db: Database;
  readonly #timers: Timers;
  readonly #changed: () => void;
  #cancel: (() => void) | null = null;
  problem: string | null = null;
  full = false;

  constructor(db: Database, timers: Timers, changed: () => void) {
    this.#db = db;
    this.#timers = timers;
    this.#changed = changed;
  }

  stored(): void {
    this.full = false;
    this.problem = null;
    this.close();
  }
  /** `edit`: what failed was an edit of the person's. */
  failed(error: unknown, edit: boolean): void {
    this.full ||= isQuota(error);
    if (!edit && !this.full) return;
    const lost = edit || (this.problem ?? FULL) !== FULL;
    this.problem = !this.full ? NOT_STORED : lost ? FULL_AT_EDIT : FULL;
    if (this.full) this.#cancel ??= this.#timers.after(TRY_MS, () => void this.#try());
  }
  async #try(): Promise<void> {
    this.#cancel = null;
    try {
      await this.#db.meta.put({ key: 'probe', value: PROBE });
      await this.#db.meta.delete('probe');
      this.stored();
    } catch (error) {
      this.failed(error, false);
    }
    this.#changed();
  }
  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
