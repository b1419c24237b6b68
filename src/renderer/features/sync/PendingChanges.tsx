import type { SyncOverview } from '../../data/sync/sync-overview.ts';

import { Section } from '../../ui/Page.tsx';
import { EntriesTable } from './EntriesTable.tsx';
import { useSyncOverview } from '../../state/use-sync-overview.ts';
import { t } from '../../text/t.ts';

const MAX_SHOWN = 200;
const ask = (overview: SyncOverview) => overview.unsent('waiting', MAX_SHOWN);

/** Changes of this window that are sent to the server automatically. */
export function PendingChanges() {
  const { data } = useSyncOverview(ask);
  return (
    <Section
      title={t('Pending changes')}
      note={t('These are stored in this window and are sent as soon as the server answers.')}
    >
      {data === undefined || data.total === 0 ? (
        <p className="muted">{t('No changes are pending.')}</p>
      ) : (
        <>
          <p>
            {t('{total, plural, one {# change} other {# changes}}, oldest first.', {
              total: data.total,
            })}
          </p>
          <EntriesTable caption={t('Pending changes')} changes={data.changes} />
        </>
      )}
    </Section>
  );
}
