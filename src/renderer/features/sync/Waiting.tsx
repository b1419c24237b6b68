import type { Desk } from '../../data/sync/desk.ts';
import { plural } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { EntriesTable } from './EntriesTable.tsx';
import { useDesk } from '../../state/use-desk.ts';

const MOST = 200;
const ask = (desk: Desk) => desk.unsent('waiting', MOST);

/** Changes of this window that go to the server by themselves. */
export function Waiting() {
  const { data } = useDesk(ask);
  return (
    <Section
      title="Waiting for the server"
      note="These are stored in this window and go by themselves as soon as the server answers."
    >
      {data === undefined || data.total === 0 ? (
        <p className="muted">Nothing waits.</p>
      ) : (
        <>
          <p>{plural(data.total, 'change')}, oldest first.</p>
          <EntriesTable caption="Waiting changes" changes={data.changes} />
        </>
      )}
    </Section>
  );
}
