import type { SyncOverview } from '../../data/sync/sync-overview.ts';
import { plural } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { EntriesTable } from './EntriesTable.tsx';
import { useSyncOverview } from '../../state/use-sync-overview.ts';

const MAX_SHOWN = 200;
const ask = (overview: SyncOverview) => overview.unsent('waiting', MAX_SHOWN);

/** Changes of this window that are sent to the server automatically. */
export function PendingChanges() {
  const { data } = useSyncOverview(ask);
  return (
    <Section
      title="Pending changes"
      note="These are stored in this window and are sent as soon as the server answers."
    >
      {data === undefined || data.total === 0 ? (
        <p className="muted">No changes are pending.</p>
      ) : (
        <>
          <p>{plural(data.total, 'change')}, oldest first.</p>
          <EntriesTable caption="Pending changes" changes={data.changes} />
        </>
      )}
    </Section>
  );
}
