import type { ErrorCode, ErrorDetail } from '../../../shared/contract/errors.ts';

/** Why a store could not be opened. */
export type StoreOpenCode =
  | 'not_a_database'
  | 'foreign_file'
  | 'sqlite_too_old'
  | 'setting_refused'
  | 'no_permission'
  | 'unreachable'
  | 'upgrade_under_way'
  | 'upgrade_needed'
  | 'too_new';

/**
 * The store cannot be opened, not even for reading. `message` is a plain sentence that may be
 * shown.
 */
export class StoreOpenError extends Error {
  override name = 'StoreOpenError';
  readonly code: StoreOpenCode;
  constructor(code: StoreOpenCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** SQLite's primary result codes that the store tells apart. */
export const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;

const BY_NAME: Record<string, number> = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
};

/** The primary result code of an error thrown by SQLite; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code } = error as Error & { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  return typeof code === 'string' ? BY_NAME[code] : undefined;
}

/** SQLSTATE of an error thrown by PostgreSQL; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * A refusal by the store, with a stable code that the HTTP layer turns into a status. Nothing of
 * the transaction is stored.
 */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** What is said where nothing has the name that a request gives, by the member that gives it. */
export const ABSENT = {
  case_uid: 'There is no such case.',
  profile_uid: 'There is no such profile.',
  project_id: 'There is no such project.',
} as const;
