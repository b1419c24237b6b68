import type { OwedRun } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { ReportedTable } from './ReportedTable.tsx';
import { RunCells } from './RunCells.tsx';
import { t } from '../../text/t.ts';

/** Runs whose content the hosted server has not taken. */
export function PendingRuns({ runs }: { runs: readonly OwedRun[] }) {
  return (
    <ReportedTable
      title={t('Runs pending upload')}
      note={t(
        'The hosted server knows of these runs, but does not have their content. They stay on this computer and are sent again automatically.',
      )}
      columns={[t('Run'), t('Case'), t('Why'), t('Since')]}
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
