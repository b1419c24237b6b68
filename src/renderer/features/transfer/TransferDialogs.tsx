import type { MatrixSession } from '../../data/store/port.ts';
import { ExportDialog, type ShownPart } from './export/ExportDialog.tsx';
import { HistoryDialog } from './export/HistoryDialog.tsx';
import { ImportDialog, type UnderProfile } from './import/ImportDialog.tsx';

export type TransferRequest =
  | { do: 'import'; files?: readonly File[] }
  | { do: 'history' }
  | { do: 'export'; shown: ShownPart | undefined };

interface TransferProps {
  request: TransferRequest;
  session: MatrixSession;
  caseTitle: string;
  clock: { now(): number };
  underProfile?: UnderProfile;
  onClose: () => void;
}

/** Files in and out of one case. */
export function TransferDialogs({
  request,
  session,
  caseTitle,
  clock,
  underProfile,
  onClose,
}: TransferProps) {
  if (request.do === 'import')
    return (
      <ImportDialog
        session={session}
        files={request.files}
        clock={clock}
        underProfile={underProfile}
        onClose={onClose}
      />
    );
  if (request.do === 'history') return <HistoryDialog session={session} onClose={onClose} />;
  return (
    <ExportDialog
      session={session}
      caseTitle={caseTitle}
      shown={request.shown}
      clock={clock}
      onClose={onClose}
    />
  );
}
