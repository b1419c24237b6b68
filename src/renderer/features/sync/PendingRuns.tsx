import type { OwedRun } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { ReportedTable } from './ReportedTable.tsx';
import { RunCells } from './RunCells.tsx';

/** Runs whose content the hosted server has not taken. */
export function PendingRuns({ runs }: { runs: readonly OwedRun[] }) {
  return (
    <ReportedTable
      title="Runs pending upload"
      note={
        'The hosted server knows of these runs, but does not have their content. ' +
        'They stay on this computer and are sent again automatically.'
      }
      columns={['Run', 'Case', 'Why', 'Since']}
      rows={runs}
    >
      {({ run_uid, case_uid, problem, since }) => (
        <tr key={`${run_uid} ${case_uid}`}>
          <RunCells run_uid={run_uid} case_uid={case_uid} />
          <td>{problem}</td>
          <td className="nowrap num">{formatDateTime(since)}</td>
        </tr>
      )}
    </ReportedTable>
  );
}
