import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { Link } from 'react-router';
import type { KeptChange, LinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { ReportedTable } from './ReportedTable.tsx';
import { ExportUnsent } from './Unsent.tsx';
import { t } from '../../text/t.ts';

/** Changes that the hosted server rejects or fails on, each with the reason. */
export function RejectedChanges({
  changes,
  links,
}: {
  changes: readonly KeptChange[];
  links: readonly LinkStatus[];
}) {
  const linkOf = new Map(links.map((link) => [link.stream, link]));
  return (
    <ReportedTable
      title={t('Changes rejected by the hosted server')}
      note={t(
        'They stay on this computer, and the others are sent. What the server fails on is sent again automatically: after an upgrade of either side, once an hour, and when you press Sync now.',
      )}
      actions={<ExportUnsent />}
      columns={[t('Where'), t('Author'), t('Why'), t('Since')]}
      rows={changes}
    >
      {({ stream, change_id, author, received_at, problem, since }) => (
        <tr key={change_id}>
          <th scope="row">
            {linkOf.get(stream)?.kind === 'case' ? (
              <Link to={pageAddress('case', { caseUid: stream })}>
                {linkOf.get(stream)?.title ?? stream}
              </Link>
            ) : (
              (linkOf.get(stream)?.title ?? stream)
            )}
            <code className="row-note">{change_id}</code>
          </th>
          <td>
            {author}
            <span className="row-note">
              {t('recorded {time}', { time: formatDateTime(received_at) })}
            </span>
          </td>
          <td>{problem}</td>
          <td className="nowrap num">{formatDateTime(since)}</td>
        </tr>
      )}
    </ReportedTable>
  );
}
