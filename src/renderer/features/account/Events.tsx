import type { ApiKey, Usage } from '../../../shared/contract/v1/account.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { EVENT_WORDS, resultWords } from './event-words.ts';

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
        <>
          <Table
            caption="Recent events"
            dense
            head={
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">By</th>
                <th scope="col">Result</th>
              </tr>
            }
          >
            {events.map((event) => (
              <tr key={event.event_id}>
                <td className="nowrap num">{formatDateTime(event.at)}</td>
                <td>{EVENT_WORDS[event.action] ?? 'Another request'}</td>
                <td>
                  {event.key_id === null ? 'the studio' : (names.get(event.key_id) ?? event.key_id)}
                </td>
                <td>{resultWords(event.status)}</td>
              </tr>
            ))}
          </Table>
          <Codes events={events} />
        </>
      )}
    </Section>
  );
}

/** The same events as programs name them. */
function Codes({ events }: { events: Usage['recent_events'] }) {
  return (
    <details>
      <summary>Developer</summary>
      <Table
        caption="Codes of recent events"
        dense
        head={
          <tr>
            <th scope="col">When</th>
            <th scope="col">Operation</th>
            <th scope="col">Resource</th>
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
            <td className="n">{event.status}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
