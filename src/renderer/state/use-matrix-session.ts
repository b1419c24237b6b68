import { useEffect, useState } from 'react';
import type { Round } from '../../shared/contract/v1/rounds.ts';
import { HiddenMatrixError } from '../data/restrictions.ts';
import type { MatrixSession } from '../data/store/port.ts';
import { describeFailure, type ShownFailure } from './failure.ts';
import { useServices } from './services.tsx';
import type { ProfileUid, CaseUid } from '../../shared/contract/ids.ts';

export type SessionState =
  | { kind: 'opening' }
  | { kind: 'open'; session: MatrixSession }
  /** The person records it independently in this round, and is not shown the record meanwhile. */
  | { kind: 'hidden'; round: Round }
  | { kind: 'failed'; failure: ShownFailure; retry: () => void };

/**
 * The open matrix of a case under a profile; closed with the page, when the address changes, and
 * when a round hides it from the person.
 */
export function useMatrixSession(
  caseUid: CaseUid,
  profile: { uid: ProfileUid; version: string },
  digest?: string,
): SessionState {
  const { openMatrix, restrictionsOf, watchBeside } = useServices();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<SessionState>({ kind: 'opening' });
  const { uid, version } = profile;
  useEffect(() => {
    let current = true;
    let opened: MatrixSession | undefined;
    const address = { caseUid, profileUid: uid, profileVersion: version, digest };
    const again = (): void => setAttempt((attempt) => attempt + 1);
    setState({ kind: 'opening' });
    // The page is left only when everything recorded is on the disk, or when the person insists.
    const guard = (event: BeforeUnloadEvent): void => {
      if ((opened?.saveStatus.storing ?? 0) > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', guard);
    let isHidden = false;
    openMatrix(address).then(
      (session) => {
        if (!current) {
          session.close();
          return;
        }
        opened = session;
        setState({ kind: 'open', session });
      },
      (error: unknown) => {
        if (!current) return;
        isHidden = error instanceof HiddenMatrixError;
        setState(
          error instanceof HiddenMatrixError
            ? { kind: 'hidden', round: error.round }
            : { kind: 'failed', failure: describeFailure(error), retry: again },
        );
      },
    );
    const unwatch = watchBeside(caseUid, (news) => {
      if (!news.has('access')) return;
      void restrictionsOf(address).then(({ hiddenBy, isApproved }) => {
        if (!current) return;
        if (isApproved !== undefined) opened?.noteApproved(isApproved);
        if (hiddenBy !== undefined && (hiddenBy !== null) !== isHidden) again();
      });
    });
    return () => {
      current = false;
      unwatch();
      window.removeEventListener('beforeunload', guard);
      opened?.close();
    };
  }, [openMatrix, restrictionsOf, watchBeside, caseUid, uid, version, digest, attempt]);
  return state;
}
