import type { CaseUid, RunUid } from '../../../shared/contract/ids.ts';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { Link } from 'react-router';

/** A run and its case, each a link. */
export function RunCells({ run_uid, case_uid }: { run_uid: RunUid; case_uid: CaseUid }) {
  return (
    <>
      <th scope="row" className="mono">
        <Link to={pageAddress('run', { runUid: run_uid })}>{run_uid}</Link>
      </th>
      <td>
        <Link to={pageAddress('case', { caseUid: case_uid })}>{case_uid}</Link>
      </td>
    </>
  );
}
