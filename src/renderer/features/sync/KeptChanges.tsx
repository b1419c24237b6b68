import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import {
  type KeptChange,
  type LinkStatus,
  MAX_LISTED,
} from '../../../shared/contract/v1/uplink.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { ExportUnsent } from './Unsent.tsx';

/**
 * Changes that the hosted server refuses or fails on, each with the reason. Nothing where there are
 * none.
 */
export function KeptChanges({
  changes,
  links,
}: {
  changes: readonly KeptChange[];
  links: readonly LinkStatus[];
}) {
  if (changes.length === 0) return null;
  const linkOf = new Map(links.map((link) => [link.stream, link]));
  const note =
    'They stay on this computer, and the others go. What the server fails on is offered again by itself: after an upgrade of either side, once an hour, and when you press Try now.';
  return (
    <Section title="Changes that were not taken" note={note} actions={<ExportUnsent />}>
      <Table
        caption="Changes that were not taken"
        dense
        head={
          <tr>
            <th scope="col">Where</th>
            <th scope="col">Of</th>
            <th scope="col">Why</th>
            <th scope="col">Since</th>
          </tr>
        }
      >
        {changes.map(({ stream, change_id, author, received_at, problem, since }) => (
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
              <span className="row-note">recorded {formatDateTime(received_at)}</span>
            </td>
            <td>{problem}</td>
            <td className="nowrap num">{formatDateTime(since)}</td>
          </tr>
        ))}
      </Table>
      {changes.length === MAX_LISTED && <p className="muted">These are the first {MAX_LISTED}.</p>}
    </Section>
  );
}
