import type { ApiKey, Usage } from '../../../shared/contract/v1/account.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';

/** The latest requests that were counted, newest first as the server sends them. */
export function Events({
  events,
  keys,
}: {
  events: Usage['recent_events'];
  keys: readonly ApiKey[];
}) {
  const names = new Map(keys.map((key) => [key.key_id, key.name]));
  return (
    <Section title="Recent events">
      {events.length === 0 ? (
        <p className="muted">None yet.</p>
      ) : (
        <Table
          caption="Recent events"
          dense
          head={
            <tr>
              <th scope="col">When</th>
              <th scope="col">Action</th>
              <th scope="col">On</th>
              <th scope="col">By</th>
              <th scope="col" className="n">
                Status
              </th>
            </tr>
          }
        >
          {events.map((event) => (
            <tr key={event.event_id}>
              <td className="nowrap num">{formatDateTime(event.at)}</td>
              <td>
                <code>{event.action}</code>
              </td>
              <td className="mono">{event.resource ?? '–'}</td>
              <td>
                {event.key_id === null ? 'the studio' : (names.get(event.key_id) ?? event.key_id)}
              </td>
              <td className="n">{event.status}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
