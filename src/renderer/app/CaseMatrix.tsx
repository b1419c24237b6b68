import type { CaseUid } from '../../shared/contract/ids.ts';
import { useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { MatrixEditor } from '../features/matrix/MatrixEditor.tsx';
import { RunDialog } from '../features/runs/RunDialog.tsx';
import { TransferDialogs, type TransferRequest } from '../features/transfer/TransferDialogs.tsx';
import { runCommand } from '../state/commands.ts';
import { useServices } from '../state/services.tsx';
import { FailureNotice } from '../ui/Loaded.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useBeyond, useHome, useSavedAt } from '../state/use-sync-status.ts';
import { useReview } from './use-review.ts';
import { useReleasedRounds } from './use-released-rounds.ts';
import { useDroppedFiles } from '../state/window-drop.ts';
import { takeFiles } from '../state/files-in-hand.ts';
import { droppedFiles } from '../files/dropped.ts';
import { useToast } from '../ui/Toast.tsx';
import { useOtherWindows } from '../state/use-other-windows.ts';
import { usePresence } from '../state/use-presence.ts';
import { type SessionState, useMatrixSession } from '../state/use-matrix-session.ts';
import { useBesideCell } from './BesideCell.tsx';
import { OpenQueries } from './OpenQueries.tsx';
import { HiddenMatrix } from '../ui/HiddenMatrix.tsx';
import { OpenRounds } from './OpenRounds.tsx';
import { DocumentInUse } from './DocumentInUse.tsx';
import { UnderOtherProfile } from './first-files/UnderOtherProfile.tsx';
import { useCaseDocument } from './find.ts';
import { t } from '../text/t.ts';

/**
 * The matrix of a case, with the document that it is of where several stand under the version. If
 * another one is chosen, the matrix is opened again.
 */
export function CaseMatrix(props: {
  caseUid: CaseUid;
  caseTitle: string;
  profile: ProfileAddress;
  isApproved: boolean;
}) {
  const { queries } = useServices();
  const [opened, setOpened] = useState<string>();
  const document = useCaseDocument(props.caseUid, props.profile);
  return (
    <>
      {document.data !== undefined && (
        <DocumentInUse
          caseUid={props.caseUid}
          known={document.data}
          onResolved={() => queries.invalidate('case')}
        />
      )}
      <OpenMatrix
        key={opened ?? ''}
        {...props}
        digest={opened}
        known={document.data?.digest ?? undefined}
        onOther={setOpened}
        onDoubt={document.reload}
      />
    </>
  );
}

/**
 * An address with `?review=1` opens the conflicts once, as soon as the matrix offers that command;
 * with `?review=independent` what independent recorders differ on.
 */
function useReviewAddress(isOpen: boolean): void {
  const [search, setSearch] = useSearchParams();
  const review = isOpen ? search.get('review') : null;
  useEffect(() => {
    if (review === null) return;
    runCommand(review === 'independent' ? 'review.independent' : 'review.open');
    setSearch(
      (now) => {
        now.delete('review');
        now.delete('round');
        return now;
      },
      { replace: true },
    );
  }, [review, setSearch]);
}

interface OpenMatrixProps {
  caseUid: CaseUid;
  caseTitle: string;
  profile: ProfileAddress;
  isApproved: boolean;
  /** The document to open it with, where that is known to be another than the stored copy's. */
  digest: string | undefined;
  /** The document that the server says it is of. */
  known: string | undefined;
  onOther: (digest: string) => void;
  /** Called when another document has arrived in this window. */
  onDoubt: () => void;
}

/**
 * Tells when the open matrix is of another document than the server says, and asks the server when
 * another one has arrived in the window.
 */
function useDocumentCheck(
  state: SessionState,
  { known, onOther, onDoubt }: Pick<OpenMatrixProps, 'known' | 'onOther' | 'onDoubt'>,
): void {
  const session = state.kind === 'open' ? state.session : undefined;
  useEffect(() => {
    const own = session?.documentDigest ?? null;
    if (known !== undefined && own !== null && known !== own) onOther(known);
  }, [session, known, onOther]);
  useEffect(() => {
    if (session === undefined) return undefined;
    let doubted = false;
    return session.subscribeSaveStatus(() => {
      const { access } = session.saveStatus;
      const doubts = access.may === 'read' && access.because === 'document';
      if (doubts && !doubted) onDoubt();
      doubted = doubts;
    });
  }, [session, onDoubt]);
}

/**
 * The matrix takes what the page says that it takes. A page that says nothing of an approval may
 * not have read the case yet.
 */
function useShownApproval(state: SessionState, isApproved: boolean): void {
  const session = state.kind === 'open' ? state.session : undefined;
  const [wasShown, setShown] = useState(isApproved);
  if (isApproved && !wasShown) setShown(true);
  useEffect(() => {
    if (isApproved || wasShown) session?.noteApproved(isApproved);
  }, [session, isApproved, wasShown]);
}

/** A file that is dropped beside the editor is imported as one that is dropped on it. */
function useImportOnDrop(
  state: SessionState,
  isFree: boolean,
  onImport: (request: TransferRequest) => void,
): void {
  const announce = useToast();
  const session = state.kind === 'open' ? state.session : undefined;
  const take = useCallback(
    (data: DataTransfer): void => {
      const access = session?.saveStatus.access;
      if (access?.may === 'read') announce({ title: access.words, tone: 'danger' });
      else
        void droppedFiles(data).then((files) => {
          if (typeof files === 'string') announce({ title: files, tone: 'danger' });
          else if (files !== undefined) onImport({ do: 'import', files });
        });
    },
    [session, announce, onImport],
  );
  useDroppedFiles(session !== undefined && isFree ? take : undefined);
}

function OpenMatrix({
  caseUid,
  caseTitle,
  profile,
  isApproved,
  digest,
  known,
  onOther,
  onDoubt,
}: OpenMatrixProps) {
  const { cspNonce, clock } = useServices();
  const state = useMatrixSession(caseUid, profile, digest);
  useDocumentCheck(state, { known, onOther, onDoubt });
  useShownApproval(state, isApproved);
  const home = useHome();
  const beyond = useBeyond(useSavedAt(), caseUid);
  const review = useReview(caseUid, profile);
  const beside = useBesideCell(caseUid, profile);
  const rounds = useReleasedRounds(caseUid, profile);
  const otherWindows = useOtherWindows(caseUid);
  const presence = usePresence(caseUid);
  const [running, setRunning] = useState(false);
  const [files, setFiles] = useState<TransferRequest | null>(null);
  useImportOnDrop(state, files === null && !running, setFiles);
  useEffect(() => {
    if (state.kind !== 'open') return;
    const held = takeFiles(caseUid);
    if (held !== undefined) setFiles({ do: 'import', files: held });
  }, [state.kind, caseUid]);
  useReviewAddress(state.kind === 'open');
  if (state.kind === 'failed')
    return <FailureNotice failure={state.failure} onRetry={state.retry} />;
  if (state.kind === 'hidden') return <HiddenMatrix round={state.round} />;
  if (state.kind === 'opening') return <Skeleton label={t('Opening the matrix…')} lines={10} />;
  return (
    <div className="case-body">
      <MatrixEditor
        session={state.session}
        onRun={() => setRunning(true)}
        onFiles={setFiles}
        review={review}
        caseTitle={caseTitle}
        cspNonce={cspNonce}
        clock={clock}
        home={home}
        beyond={beyond}
        beside={beside}
        otherWindows={otherWindows}
        presence={presence}
        rounds={rounds}
      />
      {running && (
        <RunDialog
          session={state.session}
          notice={
            <>
              <OpenQueries caseUid={caseUid} profile={state.session.profile} />
              <OpenRounds caseUid={caseUid} profile={state.session.profile} />
            </>
          }
          onClose={() => setRunning(false)}
        />
      )}
      {files !== null && (
        <TransferDialogs
          request={files}
          session={state.session}
          caseTitle={caseTitle}
          clock={clock}
          underProfile={(wanted) => <UnderOtherProfile caseUid={caseUid} {...wanted} />}
          onClose={() => setFiles(null)}
        />
      )}
    </div>
  );
}
