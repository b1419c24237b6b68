import { useEffect, useState } from 'react';
import type { MatrixSession } from '../data/store/port.ts';
import { describeFailure, type ShownFailure } from './failure.ts';
import { useServices } from './services.tsx';
import type { ProfileUid, CaseUid } from '../../shared/contract/ids.ts';

export type SessionState =
  | { kind: 'opening' }
  | { kind: 'open'; session: MatrixSession }
  | { kind: 'failed'; failure: ShownFailure; retry: () => void };

/**
 * The open matrix of a case under a profile; closed with the page, and when the address changes.
 */
export function useMatrixSession(
  caseUid: CaseUid,
  profile: { uid: ProfileUid; version: string },
  digest?: string,
): SessionState {
  const { openMatrix } = useServices();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<SessionState>({ kind: 'opening' });
  const { uid, version } = profile;
  useEffect(() => {
    let current = true;
    let opened: MatrixSession | undefined;
    setState({ kind: 'opening' });
    // The page is left only when everything recorded is on the disk, or when the person insists.
    const guard = (event: BeforeUnloadEvent): void => {
      if ((opened?.saveStatus.storing ?? 0) > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', guard);
    openMatrix({ caseUid, profileUid: uid, profileVersion: version, digest }).then(
      (session) => {
        if (!current) {
          session.close();
          return;
        }
        opened = session;
        setState({ kind: 'open', session });
      },
      (error: unknown) => {
        if (current)
          setState({
            kind: 'failed',
            failure: describeFailure(error),
            retry: () => setAttempt((attempt) => attempt + 1),
          });
      },
    );
    return () => {
      current = false;
      window.removeEventListener('beforeunload', guard);
      opened?.close();
    };
  }, [openMatrix, caseUid, uid, version, digest, attempt]);
  return state;
}
