import { useState } from 'react';
import { useNavigate } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { createSample } from '../../../shared/contract/v1/account.ts';
import { describeFailure, type ShownFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { offerTour } from '../../state/tour.ts';
import { useStillHere } from '../../state/use-still-here.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { t } from '../../text/t.ts';

/**
 * Makes the sample project, only when asked to, and opens its case. An existing one is opened as it
 * is, or as it came.
 */
export function SampleOffer({
  variant = 'secondary',
  resettable = false,
}: {
  variant?: 'primary' | 'secondary';
  resettable?: boolean;
}) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const begin = useStillHere();
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<ShownFailure>();
  const open = async (reset: boolean) => {
    const isHere = begin();
    setBusy(true);
    setFailure(undefined);
    try {
      const sample = await call(createSample, { query: reset ? { reset: 'true' } : {} });
      queries.invalidate('project');
      offerTour();
      if (isHere()) await navigate(pageAddress('case', { caseUid: sample.case_uid }));
    } catch (error) {
      setFailure(describeFailure(error));
      setAsking(false);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant={variant} busy={busy} onClick={() => void open(false)}>
        {busy ? t('Opening the sample project…') : t('Open the sample project')}
      </Button>
      {resettable && (
        <Button variant="ghost" disabled={busy} onClick={() => setAsking(true)}>
          {t('Reset sample…')}
        </Button>
      )}
      {resettable && asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={t('Reset the sample?')}
          action={t('Reset sample')}
          busy={busy}
          onConfirm={() => void open(true)}
        >
          <p>
            {t(
              'Every cell of the sample’s items is recorded again as it came. What you recorded stays in the history; items that you added stay in the case.',
            )}
          </p>
        </Confirm>
      )}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </>
  );
}
