import type { DamagedRun } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { ReportedTable } from './ReportedTable.tsx';
import { RunCells } from './RunCells.tsx';
import { t } from '../../text/t.ts';

/** Runs whose stored content a check found to be damaged. */
export function DamagedRuns({ runs, hosted }: { runs: readonly DamagedRun[]; hosted: boolean }) {
  const note = hosted
    ? t(
        'What is stored of these runs differs from what was frozen, so they are not shown. They are repaired by the next studio that syncs the case and still has them.',
      )
    : t(
        'What is stored of these runs differs from what was frozen, so they are not shown. They are fetched again from the hosted server, if their project is shared and it has them.',
      );
  return (
    <ReportedTable
      title={t('Damaged runs')}
      note={note}
      columns={[t('Run'), t('Case'), t('Found')]}
      rows={runs}
    >
      {({ run_uid, case_uid, since }) => (
        <tr key={`${run_uid} ${case_uid}`}>
          <RunCells run_uid={run_uid} case_uid={case_uid} />
          <td className="nowrap num">{formatDateTime(since)}</td>
        </tr>
      )}
    </ReportedTable>
  );
}
