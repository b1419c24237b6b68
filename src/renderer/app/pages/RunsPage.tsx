import { known } from '../../../shared/contract/ids.ts';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { createRun } from '../../../shared/contract/v1/runs.ts';
import { RunsTable } from '../../features/runs/RunsTable.tsx';
import { useRuns } from '../../features/runs/use-runs.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Select } from '../../ui/Select.tsx';
import { RunMenu } from '../housekeeping/RunMenu.tsx';
import { CaseFilter, ProjectFilter } from '../RunFilters.tsx';
import { t } from '../../text/t.ts';

const SHOWN = [
  { value: 'shown', label: t('All but hidden') },
  { value: 'hidden', label: t('Hidden') },
] as const;

/** The runs of the account, page by page; the filters stand in the address. */
export function RunsPage() {
  const [search, setSearch] = useSearchParams();
  const project = known.projectId.optional().parse(search.get('project') ?? undefined);
  const caseUid = known.caseUid.optional().parse(search.get('case') ?? undefined);
  const mayRun = useMay(createRun);
  const [order, setOrder] = useState<'asc' | 'desc'>('desc');
  const [isHidden, setHidden] = useState(false);
  const runs = useRuns({
    order,
    ...(isHidden && { state: 'hidden' as const }),
    ...(project === undefined ? {} : { project_id: project }),
    ...(caseUid === undefined ? {} : { case_uid: caseUid }),
  });
  const choose = (name: 'project' | 'case', value: string | null) => {
    const next = new URLSearchParams(search);
    if (value === null) next.delete(name);
    else next.set(name, value);
    // A case belongs to one project: another project drops the choice of case.
    if (name === 'project') next.delete('case');
    setSearch(next, { replace: true });
  };
  const filtered = project !== undefined || caseUid !== undefined || isHidden;
  const clear = () => {
    setSearch({}, { replace: true });
    setHidden(false);
  };
  return (
    <Page title={t('Runs')}>
      <div className="toolbar" role="group" aria-label={t('Filter runs')}>
        <ProjectFilter value={project} onValue={(value) => choose('project', value)} />
        <CaseFilter project={project} value={caseUid} onValue={(value) => choose('case', value)} />
        <Select
          inline
          label={t('Show')}
          options={SHOWN}
          value={isHidden ? 'hidden' : 'shown'}
          onValue={(value) => setHidden(value === 'hidden')}
        />
      </div>
      <Loaded query={runs} what={t('runs')} lines={8}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState
              title={filtered ? t('No run matches') : t('No runs yet')}
              actions={
                filtered ? <Button onClick={clear}>{t('Clear the filters')}</Button> : undefined
              }
            >
              {!filtered && (
                <p>
                  {t('A run freezes a case with its matrix and result.')}
                  {mayRun && ` ${t('Open a case and choose Run.')}`}
                </p>
              )}
            </EmptyState>
          ) : (
            <>
              <RunsTable
                runs={entries}
                sorting={{ sort: 'frozen', order }}
                onSort={(sorting) => setOrder(sorting.order)}
                more={(run) => <RunMenu run={run} />}
              />
              <ListPager list={runs} what={t('runs')} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
