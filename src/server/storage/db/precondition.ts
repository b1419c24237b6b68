import { type Precondition, StoreError } from '../port.ts';

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
