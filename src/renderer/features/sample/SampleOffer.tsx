import { useState } from 'react';
import { useNavigate } from 'react-router';
import { createSample } from '../../../shared/contract/v1/account.ts';
import { describeFailure, type Failure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';

/** Makes the sample project, only when asked to, and opens its case. An existing one is opened as it is. */
export function SampleOffer({ variant = 'secondary' }: { variant?: 'primary' | 'secondary' }) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const open = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const sample = await call(createSample);
      queries.invalidate('project');
      await navigate(`/studio/cases/${encodeURIComponent(sample.case_uid)}`);
    } catch (error) {
      setFailure(describeFailure(error));
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant={variant} busy={busy} onClick={() => void open()}>{busy ? 'Opening the sample project…' : 'Open the sample project'}</Button>
      {failure !== undefined && <FailureNotice failure={failure} />}
    </>
  );
}
