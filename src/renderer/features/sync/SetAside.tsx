import { useState } from 'react';
import { recordEvidence } from '../../../shared/contract/v1/evidence.ts';
import type { SyncOverview } from '../../data/sync/sync-overview.ts';

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
import { type SetAsideGroup, groupsOf } from './set-aside-groups.ts';
import { exportName, saveExport } from './save-export.ts';
import { useSyncOverview } from '../../state/use-sync-overview.ts';
import { t } from '../../text/t.ts';

const MAX_SHOWN = 200;
const ask = (overview: SyncOverview) => overview.unsent('kept', MAX_SHOWN);

/**
 * Changes that are not sent until a person acts: keep, export, or discard them once an export was
 * saved.
 */
export function SetAside() {
  const { overview, clock } = useServices();
  const announce = useToast();
  const { data } = useSyncOverview(ask);
  const [discarding, setDiscarding] = useState<SetAsideGroup | null>(null);
  if (data === undefined || data.total === 0) {
    return (
      <Section title={t('Set aside or rejected')}>
        <p className="muted">{t('Nothing is set aside, and the server has rejected nothing.')}</p>
      </Section>
    );
  }
  const save = async (group: SetAsideGroup) => {
    await saveExport(overview, group.ids, exportName(group.case_uid, clock.now()));
    announce({
      title: t(
        '{count, plural, one {# change} other {# changes}} exported. They stay here as well.',
        { count: group.ids.length },
      ),
    });
  };
  return (
    <Section
      title={t('Set aside or rejected')}
      note={t(
        'These changes stay here until you decide. You can keep them as long as you like, export them, or discard them once an export is saved.',
      )}
    >
      <Table
        caption={t('Changes set aside or rejected')}
        head={
          <tr>
            <th scope="col">{t('Case')}</th>
            <th scope="col">{t('User')}</th>
            <th scope="col" className="n">
              {t('Changes')}
            </th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Why')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        }
      >
        {groupsOf(data.changes, data.me).map((group) => (
          <GroupRow
            key={group.key}
            group={group}
            onSave={() => void save(group)}
            onDiscard={() => setDiscarding(group)}
          />
        ))}
      </Table>
      <EntriesTable caption={t('What these changes recorded')} changes={data.changes} />
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

function GroupRow({
  group,
  onSave,
  onDiscard,
}: {
  group: SetAsideGroup;
  onSave: () => void;
  onDiscard: () => void;
}) {
  const { overview } = useServices();
  const maySend = useMay(recordEvidence);
  return (
    <tr>
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
        {group.maySendAgain && !maySend && ` ${t('A viewer cannot send it again.')}`}
      </td>
      <td className="n">
        <div className="actions sync-row-actions">
          <Button
            size="sm"
            onClick={onSave}
            aria-label={t('Export the changes of {caseUid} that are {state}', {
              caseUid: group.case_uid,
              state: STATE_WORDS[group.state],
            })}
          >
            {t('Export')}
          </Button>
          {group.maySendAgain && maySend && (
            <Button
              size="sm"
              onClick={() => void overview.sendAgain(group.ids)}
              aria-label={t('Send the rejected changes of {caseUid} again', {
                caseUid: group.case_uid,
              })}
            >
              {t('Send again')}
            </Button>
          )}
          <Button
            size="sm"
            onClick={onDiscard}
            aria-label={t('Discard the changes of {caseUid} that are {state}', {
              caseUid: group.case_uid,
              state: STATE_WORDS[group.state],
            })}
          >
            {t('Discard…')}
          </Button>
        </div>
      </td>
    </tr>
  );
}
