import type { ShownFailure } from '../../state/failure.ts';
import { t } from '../../text/t.ts';

/** Where a change is refused since it was meant for a record as it was before. */
export const changedMeanwhile = ({ code }: ShownFailure): string | undefined =>
  code === 'precondition_failed'
    ? t('Somebody else has changed it since this page was loaded. Load it again.')
    : undefined;
