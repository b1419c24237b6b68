import { Link } from 'react-router';
import type { Case } from '../../../shared/contract/v1/cases.ts';
import { formatDateTime, humanise } from '../../state/format.ts';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';

const PAGE = 50;

export const casePath = (caseUid: string): string => `/studio/cases/${encodeURIComponent(caseUid)}`;

export function CasesTable({ cases }: { cases: readonly Case[] }) {
  const pager = usePager(cases.length, PAGE);
  return (
    <>
      <Table caption="Cases" head={<tr><th scope="col">Case</th><th scope="col">Identifier</th><th scope="col">Type</th><th scope="col">Profile in use</th><th scope="col">Changed</th></tr>}>
        {cases.slice(pager.first, pager.end).map((entry) => (
          <tr key={entry.case_uid}>
            <th scope="row">
              <Link to={casePath(entry.case_uid)}>{entry.title}</Link>
              {entry.description !== '' && <span className="row-note">{entry.description}</span>}
            </th>
            <td><code>{entry.case_uid}</code></td>
            <td className="nowrap">{humanise(entry.case_type)}</td>
            <td>{entry.profile_uid === null ? <span className="muted">not chosen yet</span> : <><code>{entry.profile_uid}</code> {entry.profile_version}</>}</td>
            <td className="nowrap num">{formatDateTime(entry.updated_at)}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what="cases" />
    </>
  );
}
