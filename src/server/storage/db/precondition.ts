import { StoreError } from './errors.ts';

/**
 * Throws precondition_failed unless the record is as the client expects it. `version` is undefined
 * where there is no record.
 */
export function checkPrecondition(precondition: Precondition, version: number | undefined): void {
  if (precondition === undefined) return;
  const holds =
    precondition === 'absent'
      ? version === undefined
      : version !== undefined && precondition.versions.includes(version);
  if (!holds)
    throw new StoreError(
      'precondition_failed',
      'The record is not in the state that the request asks for.',
    );
}

/**
 * `If-Match` and `If-None-Match: *` of a write: the stored version must be one of these, or the
 * record must be absent. `tags` are the entity tags as they were sent: those of evidence are no
 * versions.
 */
export type Precondition =
  | { versions: readonly number[]; tags?: readonly string[] }
  | 'absent'
  | undefined;

export interface Upserted<T> {
  record: T;
  created: boolean;
  /** Whether its name or title is another one now. */
  renamed?: boolean;
}
