import type { CaseUid } from '../../../shared/contract/ids.ts';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { Case, CaseSort, ContestedMatrix } from '../../../shared/contract/v1/cases.ts';
import { formatDateTime, humanise, plural } from '../../state/format.ts';
import { SortHeading, type Sorting } from '../../ui/SortHeading.tsx';
import { Table } from '../../ui/Table.tsx';
import { formatProfileAddress } from './profile-address.ts';

export const casePath = (caseUid: CaseUid): string => pageAddress('case', { caseUid });

/** Opens the matrix with the list of its conflicts. */
const reviewPath = ({
  case_uid,
  profile_uid: uid,
  profile_version: version,
}: ContestedMatrix): string =>
  `${casePath(case_uid)}?profile=${formatProfileAddress({ uid, version })}&review=1`;

export function CasesTable({
  cases,
  contested = [],
  sorting,
  onSort,
}: {
  cases: readonly Case[];
  contested?: readonly ContestedMatrix[];
  sorting: Sorting<CaseSort>;
  onSort: (sorting: Sorting<CaseSort>) => void;
}) {
  return (
    <Table
      caption="Cases"
      head={
        <tr>
          <SortHeading by="title" label="Case" sorting={sorting} onSort={onSort} />
          <th scope="col">ID</th>
          <th scope="col">Type</th>
          <th scope="col">Profile in use</th>
          <SortHeading
            by="changed"
            label="Changed"
            first="desc"
            sorting={sorting}
            onSort={onSort}
          />
        </tr>
      }
    >
      {cases.map((entry) => (
        <tr key={entry.case_uid}>
          <th scope="row">
            <Link to={casePath(entry.case_uid)}>{entry.title}</Link>
            {contested
              .filter(({ case_uid }) => case_uid === entry.case_uid)
              .map((matrix) => (
                <Link
                  key={matrix.profile_uid + matrix.profile_version}
                  className="row-note"
                  to={reviewPath(matrix)}
                >
                  {plural(matrix.cells, 'conflict')}
                  {matrix.profile_uid === entry.profile_uid
                    ? ''
                    : ` under ${matrix.profile_uid} ${matrix.profile_version}`}
                </Link>
              ))}
            {entry.description !== '' && <span className="row-note">{entry.description}</span>}
          </th>
          <td>
            <code>{entry.case_uid}</code>
          </td>
          <td className="nowrap">{humanise(entry.case_type)}</td>
          <td>
            {entry.profile_uid === null ? (
              <span className="muted">not chosen yet</span>
            ) : (
              <>
                <code>{entry.profile_uid}</code> {entry.profile_version}
              </>
            )}
          </td>
          <td className="nowrap num">{formatDateTime(entry.updated_at)}</td>
        </tr>
      ))}
    </Table>
  );
}
