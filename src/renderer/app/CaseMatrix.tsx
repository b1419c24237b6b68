import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { MatrixEditor } from '../features/matrix/MatrixEditor.tsx';
import { RunDialog } from '../features/runs/RunDialog.tsx';
import { TransferDialogs, type TransferRequest } from '../features/transfer/TransferDialogs.tsx';
import { runCommand } from '../state/commands.ts';
import { useServices } from '../state/services.tsx';
import { FailureNotice } from '../ui/Loaded.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useBeyond, useHome, useSavedAt } from '../state/use-standing.ts';
import { useReview } from './use-review.ts';
import { useMatrixSession } from '../state/use-matrix-session.ts';

export function CaseMatrix({ caseUid, caseTitle, profile }: { caseUid: string; caseTitle: string; profile: ProfileAddress }) {
  const { cspNonce, clock } = useServices();
  const state = useMatrixSession(caseUid, profile);
  const home = useHome();
  const beyond = useBeyond(useSavedAt(), caseUid);
  const review = useReview(caseUid, profile);
  const [running, setRunning] = useState(false);
  const [files, setFiles] = useState<TransferRequest | null>(null);
  const [search, setSearch] = useSearchParams();
  const isReview = state.kind !== 'failed' && state.kind !== 'opening' && search.has('review');
  // An address with `?review=1` opens the review once, as soon as the matrix offers that command.
  useEffect(() => {
    if (!isReview) return;
    runCommand('review.open');
    setSearch((now) => {
      now.delete('review');
      return now;
    }, { replace: true });
  }, [isReview, setSearch]);
  if (state.kind === 'failed') return <FailureNotice failure={state.failure} onRetry={state.retry} />;
  if (state.kind === 'opening') return <Skeleton label="Opening the matrix…" lines={10} />;
  return (
    <div className="case-body">
      <MatrixEditor session={state.session} onRun={() => setRunning(true)} onFiles={setFiles} review={review} caseTitle={caseTitle} cspNonce={cspNonce} clock={clock} home={home} beyond={beyond} />
      {running && <RunDialog session={state.session} onClose={() => setRunning(false)} />}
      {files !== null && <TransferDialogs request={files} session={state.session} caseTitle={caseTitle} clock={clock} onClose={() => setFiles(null)} />}
    </div>
  );
}
