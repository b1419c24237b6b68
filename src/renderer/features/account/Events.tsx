import type { ApiKey, Usage } from '../../../shared/contract/v1/account.ts';
import { formatDateTime } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { EVENT_WORDS, resultWords } from './event-words.ts';
import { t } from '../../text/t.ts';

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
    <Section title={t('Recent events')}>
      {events.length === 0 ? (
        <p className="muted">{t('None yet.')}</p>
      ) : (
        <>
          <Table
            caption={t('Recent events')}
            dense
            head={
              <tr>
                <th scope="col">{t('When')}</th>
                <th scope="col">{t('What')}</th>
                <th scope="col">{t('By')}</th>
                <th scope="col">{t('Result')}</th>
              </tr>
            }
          >
            {events.map((event) => (
              <tr key={event.event_id}>
                <td className="nowrap num">{formatDateTime(event.at)}</td>
                <td>{EVENT_WORDS[event.action] ?? t('Another request')}</td>
                <td>
                  {event.key_id === null
                    ? t('the studio')
                    : (names.get(event.key_id) ?? event.key_id)}
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
      <summary>{t('Developer')}</summary>
      <Table
        caption={t('Codes of recent events')}
        dense
        head={
          <tr>
            <th scope="col">{t('When')}</th>
            <th scope="col">{t('Operation')}</th>
            <th scope="col">{t('Resource')}</th>
            <th scope="col" className="n">
              {t('Status')}
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
