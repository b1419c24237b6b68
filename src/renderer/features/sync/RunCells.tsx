import { Link } from 'react-router';

/** A run and its case, each a link. */
export function RunCells({ run_uid, case_uid }: { run_uid: string; case_uid: string }) {
  return (
    <>
      <th scope="row" className="mono">
        <Link to={`/studio/runs/${encodeURIComponent(run_uid)}`}>{run_uid}</Link>
      </th>
      <td>
        <Link to={`/studio/cases/${encodeURIComponent(case_uid)}`}>{case_uid}</Link>
      </td>
    </>
  );
}
