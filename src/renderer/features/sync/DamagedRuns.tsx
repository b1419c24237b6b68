import { Link } from 'react-router';
import { type DamagedRun, MOST_OWED } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';

/** Runs whose stored content a check found to be damaged. Nothing where there are none. */
export function DamagedRuns({ runs, hosted }: { runs: readonly DamagedRun[]; hosted: boolean }) {
  if (runs.length === 0) return null;
  const mended = hosted
    ? 'They are mended by the next studio that exchanges the case and still has them.'
    : 'They are fetched again from the hosted server, if their project is shared and it has them.';
  return (
    <Section
      title="Damaged runs"
      note={`What is stored of these runs is no longer what was frozen, so they are not shown. ${mended}`}
    >
      <Table
        caption="Damaged runs"
        dense
        head={
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Case</th>
            <th scope="col">Found</th>
          </tr>
        }
      >
        {runs.map(({ run_uid, case_uid, since }) => (
          <tr key={`${run_uid} ${case_uid}`}>
            <th scope="row" className="mono">
              <Link to={`/studio/runs/${encodeURIComponent(run_uid)}`}>{run_uid}</Link>
            </th>
            <td>
              <Link to={`/studio/cases/${encodeURIComponent(case_uid)}`}>{case_uid}</Link>
            </td>
            <td className="nowrap num">{formatDateTime(since)}</td>
          </tr>
        ))}
      </Table>
      {runs.length === MOST_OWED && <p className="muted">These are the first {MOST_OWED}.</p>}
    </Section>
  );
}
