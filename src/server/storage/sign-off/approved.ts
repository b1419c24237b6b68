import type { CaseStage } from '../../../shared/domain/sign-off.ts';
import { StoreError } from '../db/errors.ts';

/** Canonical entries of registers that runs freeze. Inside of a value the quotes are escaped. */
const OF_RECORD = /"reg":"(?:a|n|item)\//;

/** Z4: what this server itself writes into the record of an approved case is refused. */
export function refuseApproved({ stage }: { stage: CaseStage }, entries: readonly string[]): void {
  if (stage === 'approved' && entries.some((entry) => OF_RECORD.test(entry)))
    throw new StoreError('case_approved', '');
}
