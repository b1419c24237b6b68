import { useState } from 'react';
import { recordEvidence } from '../../../shared/contract/v1/evidence.ts';
import type { Desk } from '../../data/sync/desk.ts';
import type { UnsentChange } from '../../data/store/unsent.ts';
import { plural } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { DiscardDialog } from './DiscardDialog.tsx';
import { EntriesTable } from './EntriesTable.tsx';
import { STATE_WORDS } from './entry-words.ts';
import { exportName, saveExport } from './save-export.ts';
import { useDesk } from '../../state/use-desk.ts';

const MOST = 200;
const ask = (desk: Desk) => desk.unsent('kept', MOST);

interface Group {
  key: string;
  case_uid: string;
  owner: string;
  state: UnsentChange['state'];
  reason: string;
  ids: string[];
  /** Refused, and whoever is signed in may send it once more, if their role lets them. */
  canGoAgain: boolean;
}

function groupsOf(changes: readonly UnsentChange[], me: string | undefined): Group[] {
  const groups = new Map<string, Group>();
  for (const { id, case_uid, user, userName, state, reason } of changes) {
    const key = JSON.stringify([case_uid, user, state, reason]);
    const owner = user === me ? 'you' : (userName ?? 'another user');
    const why =
      state === 'damaged'
        ? (reason ?? 'The server refused it.')
        : user === me
          ? 'Not sent: you may not write there now, or are signed out.'
          : 'Never sent under another name. It goes when this user signs in here again.';
    const group = groups.get(key) ?? {
      key,
      case_uid,
      owner,
      state,
      reason: why,
      ids: [],
      canGoAgain: state === 'damaged' && user === me,
    };
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Work that nobody sends until a person acts: keep it, export it, or give it up after the export
 * was saved.
 */
export function Kept() {
  const { desk, clock } = useServices();
  const announce = useToast();
  const { data } = useDesk(ask);
  const maySend = useMay(recordEvidence);
  const [discarding, setDiscarding] = useState<Group | null>(null);
  if (data === undefined || data.total === 0) {
    return (
      <Section title="Kept in this window">
        <p className="muted">Nothing is parked, and the server has refused nothing.</p>
      </Section>
    );
  }
  const save = async (group: Group) => {
    await saveExport(desk, group.ids, exportName(group.case_uid, clock.now()));
    announce({ title: `${plural(group.ids.length, 'change')} exported. They stay here as well.` });
  };
  return (
    <Section
      title="Kept in this window"
      note="These changes stay here until you decide. They can be kept as long as you like, exported, or given up once an export is saved."
    >
      <Table
        caption="Kept changes"
        head={
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Of</th>
            <th scope="col" className="n">
              Changes
            </th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        }
      >
        {groupsOf(data.changes, data.me).map((group) => (
          <tr key={group.key}>
            <th scope="row" className="mono">
              {group.case_uid}
            </th>
            <td>{group.owner}</td>
            <td className="n">{group.ids.length}</td>
            <td>
              <Badge tone="danger">{STATE_WORDS[group.state]}</Badge>
            </td>
            <td>
              {group.reason}
              {group.canGoAgain && !maySend && ' A viewer cannot send it again.'}
            </td>
            <td className="n">
              <div className="actions sync-row-actions">
                <Button
                  size="sm"
                  onClick={() => void save(group)}
                  aria-label={`Export the ${STATE_WORDS[group.state]} changes of ${group.case_uid}`}
                >
                  Export
                </Button>
                {group.canGoAgain && maySend && (
                  <Button
                    size="sm"
                    onClick={() => void desk.sendAgain(group.ids)}
                    aria-label={`Send the refused changes of ${group.case_uid} again`}
                  >
                    Send again
                  </Button>
                )}
                <Button
                  size="sm"
                  onClick={() => setDiscarding(group)}
                  aria-label={`Discard the ${STATE_WORDS[group.state]} changes of ${group.case_uid}`}
                >
                  Discard…
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </Table>
      <EntriesTable caption="What the kept changes wrote" changes={data.changes} />
      {discarding !== null && (
        <DiscardDialog
          caseUid={discarding.case_uid}
          ids={discarding.ids}
          onClose={() => setDiscarding(null)}
        />
      )}
    </Section>
  );
}
