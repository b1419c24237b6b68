import { Download } from 'lucide-react';
import { useState } from 'react';
import { type AuditEvent, exportAudit, listAudit } from '../../../shared/contract/v1/audit.ts';
import { formatDateTime } from '../../state/format.ts';
import { saveFetched } from '../../ui/save-file.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { detailWords } from './audit-details.ts';
import { ACTION_WORDS, actorWords, objectWords } from './audit-words.ts';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';
import { t, tAs } from '../../text/t.ts';

const AT_FIRST = 10;

/** For owners: who came and went, who may do what, what left. */
export function AuditTrail() {
  const { fetchFile } = useServices();
  const newest = useCalled('audit', listAudit);
  const { busy, act } = useAct();
  const save = (format: 'csv' | 'json'): void =>
    void act(async () => saveFetched(await fetchFile(exportAudit, { query: { format } })), {
      changes: ['audit'],
      done: t('The audit trail is saved.'),
      failed: t('The audit trail was not saved'),
    });
  return (
    <Section
      title={t('Audit trail')}
      note={t(
        'Sign-ins, keys, members, backups, runs and exports. Each entry holds the hash of the one before it; evidence has a history of its own in each case.',
      )}
      actions={
        <>
          <Button
            busy={busy}
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => save('csv')}
          >
            {t('Save as CSV')}
          </Button>
          <Button
            busy={busy}
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => save('json')}
          >
            {t('Save as JSON')}
          </Button>
        </>
      }
    >
      <Loaded query={newest} what={t('the audit trail')} lines={4}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <p className="muted">{t('Nothing yet.')}</p>
          ) : (
            <Trail key={data[0]?.hash} newest={data} cursor={next_cursor} />
          )
        }
      </Loaded>
    </Section>
  );
}

function Trail({ newest, cursor }: { newest: readonly AuditEvent[]; cursor: string | null }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const [loaded, setLoaded] = useState({ events: newest, next: cursor });
  const [shown, setShown] = useState(AT_FIRST);
  const more = async (): Promise<void> => {
    const { events, next } = loaded;
    if (shown + newest.length > events.length && next !== null) {
      const page = await call(listAudit, { query: { cursor: next } });
      setLoaded({ events: [...events, ...page.data], next: page.next_cursor });
    }
    setShown(shown + newest.length);
  };
  return (
    <>
      <Table
        caption={t('Audit trail')}
        dense
        head={
          <tr>
            <th scope="col">{t('When')}</th>
            <th scope="col">{t('Who')}</th>
            <th scope="col">{t('What')}</th>
            <th scope="col">{tAs('object', 'On')}</th>
            <th scope="col">{t('Details')}</th>
            <th scope="col">{tAs('address', 'From')}</th>
          </tr>
        }
      >
        {loaded.events.slice(0, shown).map((event) => (
          <tr key={event.seq}>
            <td className="nowrap num">{formatDateTime(event.at)}</td>
            <td className="nowrap">{actorWords(event.by)}</td>
            <td className="nowrap">{ACTION_WORDS[event.action]}</td>
            <td className="mono">{objectWords(event)}</td>
            <td className="wide">{detailWords(event)}</td>
            <td className="mono nowrap">{event.by.address ?? '–'}</td>
          </tr>
        ))}
      </Table>
      {(shown < loaded.events.length || loaded.next !== null) && (
        <Button
          busy={busy}
          onClick={() =>
            void act(more, {
              changes: [],
              done: t('Older entries are shown.'),
              failed: t('Older entries cannot be shown'),
            })
          }
        >
          {t('Show older entries')}
        </Button>
      )}
    </>
  );
}
