import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { MAX_LISTED, type OwedRun } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';

/** Runs whose content the hosted server has not taken. Nothing where there are none. */
export function OwedRuns({ runs }: { runs: readonly OwedRun[] }) {
  if (runs.length === 0) return null;
  return (
    <Section
      title="Runs that were not taken"
      note="The hosted server knows of these runs, but does not have their content. They stay on this computer and are offered again by themselves."
    >
      <Table
        caption="Runs that were not taken"
        dense
        head={
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Case</th>
            <th scope="col">Why</th>
            <th scope="col">Since</th>
          </tr>
        }
      >
        {runs.map(({ run_uid, case_uid, problem, since }) => (
          <tr key={`${run_uid} ${case_uid}`}>
            <th scope="row" className="mono">
              <Link to={pageAddress('run', { runUid: run_uid })}>{run_uid}</Link>
            </th>
            <td>
              <Link to={pageAddress('case', { caseUid: case_uid })}>{case_uid}</Link>
            </td>
            <td>{problem}</td>
            <td className="nowrap num">{formatDateTime(since)}</td>
          </tr>
        ))}
      </Table>
      {runs.length === MAX_LISTED && <p className="muted">These are the first {MAX_LISTED}.</p>}
    </Section>
  );
}
