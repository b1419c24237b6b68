import { StoreError, sqlState } from '../errors.ts';

/**
 * Serialisation failure, deadlock, and the unique violation of two transactions that created the
 * same record: running again succeeds.
 */
export const AGAIN = new Set(['40001', '40P01', '23505']);

/**
 * A prepared statement no longer fits, because its tables were altered or a connection pooler
 * dropped it: preparing again succeeds.
 */
export const SPOILT = new Set(['0A000', '26000']);

/**
 * The connection ended during a transaction. Nothing of it is stored, unless it ended during the
 * commit, whose outcome is then unknown.
 */
export class LostConnection extends Error {
  readonly committing: boolean;
  constructor(committing: boolean, options: ErrorOptions) {
    super('The connection to the database server was lost.', options);
    this.committing = committing;
  }
}

/**
 * What an error of PostgreSQL means for the client. Class 53: out of disk, memory or connections;
 * class 57: cancelled or shutting down; 55P03: waited too long for a lock.
 */
export function translate(error: unknown): unknown {
  if (error instanceof LostConnection) {
    return new StoreError(
      'unavailable',
      error.committing
        ? 'The database server went away while it stored this. ' +
            'Whether it is stored is not known: send it again with the same Idempotency-Key.'
        : 'The database server went away. Try again.',
    );
  }
  const state = sqlState(error);
  if (state === undefined) return error;
  if (state === '53100')
    return new StoreError(
      'storage_full',
      'The disk of the database server is full. Nothing was stored.',
    );
  if (state === '25006')
    return new StoreError('read_only', 'The database server takes no writes at present.');
  if (
    AGAIN.has(state) ||
    SPOILT.has(state) ||
    state === '55P03' ||
    state.startsWith('53') ||
    state.startsWith('57') ||
    state.startsWith('08')
  )
    return new StoreError('unavailable', 'The database server is busy. Try again.');
  return error;
}
