import type { ProjectId } from '../../../shared/contract/ids.ts';
import { formatDateTime } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';
import { useDeletedCases } from '../find.ts';
import { CaseMenu } from './CaseMenu.tsx';
import { t } from '../../text/t.ts';

/** Deleted cases of a project, with who deleted each and why. */
export function DeletedCases({
  projectId,
  onClear,
}: {
  projectId: ProjectId;
  onClear: () => void;
}) {
  const cases = useDeletedCases(projectId);
  return (
    <Loaded query={cases} what={t('deleted cases')}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState
            title={t('No case is deleted')}
            actions={<Button onClick={onClear}>{t('Show active cases')}</Button>}
          />
        ) : (
          <>
            <Table
              caption={t('Deleted cases')}
              head={
                <tr>
                  <th scope="col">{t('Case')}</th>
                  <th scope="col">{t('ID')}</th>
                  <th scope="col">{t('Deleted')}</th>
                  <th scope="col">{t('Reason')}</th>
                  <th scope="col">
                    <span className="visually-hidden">{t('Actions')}</span>
                  </th>
                </tr>
              }
            >
              {entries.map((entry) => (
                <tr key={entry.case_uid}>
                  <th scope="row">{entry.title}</th>
                  <td>
                    <code>{entry.case_uid}</code>
                  </td>
                  <td className="nowrap">
                    <span className="num">{formatDateTime(entry.deletion.at)}</span>
                    <span className="row-note">{entry.deletion.by}</span>
                  </td>
                  <td>
                    {entry.deletion.reason ?? <span className="muted">{t('none given')}</span>}
                  </td>
                  <td className="n">
                    <CaseMenu entry={entry} state="deleted" />
                  </td>
                </tr>
              ))}
            </Table>
            <ListPager list={cases} what={t('deleted cases')} />
          </>
        )
      }
    </Loaded>
  );
}
