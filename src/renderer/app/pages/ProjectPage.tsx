import { known, type ProjectId } from '../../../shared/contract/ids.ts';
import { Plus } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { type CaseSort, upsertCase } from '../../../shared/contract/v1/cases.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import { settleProjectField, upsertProject } from '../../../shared/contract/v1/projects.ts';
import { CaseDialog } from '../../features/cases/CaseDialog.tsx';
import { casePath, CasesTable } from '../../features/cases/CasesTable.tsx';
import { useProfiles } from '../../features/profiles/versions.ts';
import { ProjectDialog } from '../../features/projects/ProjectDialog.tsx';
import { RunsTable } from '../../features/runs/RunsTable.tsx';
import { ShareSwitch } from '../../features/sync/ShareSwitch.tsx';
import { useLatestRuns } from '../../features/runs/use-runs.ts';
import { domainName, formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useDebounced } from '../../state/use-debounced.ts';
import { useMay } from '../../state/use-may.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page, Section } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import type { Sorting } from '../../ui/SortHeading.tsx';
import { FieldConflicts } from '../FieldConflicts.tsx';
import { CaseMenu } from '../housekeeping/CaseMenu.tsx';
import { DeletedCases } from '../housekeeping/DeletedCases.tsx';
import { ProjectMenu } from '../housekeeping/ProjectMenu.tsx';
import { STATES } from '../housekeeping/states.ts';
import { useCases, useContested, useContestedProjectFields, useProject } from '../find.ts';
import { t } from '../../text/t.ts';

const LATEST = 5;
const CRUMBS = [{ label: t('Projects'), to: STUDIO_PAGES.projects }];

export function ProjectPage() {
  const projectId = known.projectId.parse(useParams().projectId);
  const query = useProject(projectId);
  const project = query.data;
  const [dialog, setDialog] = useState<'edit' | 'case' | null>(null);
  const { call, queries } = useServices();
  const contested = useContestedProjectFields(projectId).data ?? [];
  const mayEdit = useMay(upsertProject);
  const maySettle = useMay(settleProjectField);
  const close = () => setDialog(null);
  const navigate = useNavigate();
  const missing = query.failure?.kind === 'missing';
  return (
    <Page
      title={project?.name ?? (missing ? t('Project not found') : t('Project'))}
      crumbs={CRUMBS}
      actions={
        project === undefined ? undefined : (
          <>
            <ShareSwitch projectId={projectId} name={project.name} />
            {mayEdit && <Button onClick={() => setDialog('edit')}>{t('Edit project')}</Button>}
            <ProjectMenu
              project={project}
              state={project.archived ? 'archived' : 'active'}
              onDeleted={() => void navigate(STUDIO_PAGES.projects)}
            />
          </>
        )
      }
      meta={
        project === undefined ? undefined : (
          <>
            <span>{domainName(project.domain)}</span>
            <span className="num">
              {t('Created {time}', { time: formatDateTime(project.created_at) })}
            </span>
          </>
        )
      }
    >
      <Loaded query={query} what={t('the project')}>
        {() =>
          project !== undefined && (
            <>
              <FieldConflicts
                of="project"
                fields={contested}
                mayResolve={maySettle}
                resolve={(body) => call(settleProjectField, { params: { projectId }, body })}
                onResolved={() => queries.invalidate('project')}
              />
              {project.description !== '' && <p className="page-intro">{project.description}</p>}
              <Cases
                key={projectId}
                projectId={projectId}
                creating={dialog === 'case'}
                onCreate={() => setDialog('case')}
                onClose={close}
              />
              <LatestRuns projectId={projectId} />
              {dialog === 'edit' && (
                <ProjectDialog project={project} onClose={close} onSaved={close} />
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface CasesProps {
  projectId: ProjectId;
  creating: boolean;
  onCreate: () => void;
  onClose: () => void;
}

function Cases({ projectId, creating, onCreate, onClose }: CasesProps) {
  const [sorting, setSorting] = useState<Sorting<CaseSort>>({ sort: 'created', order: 'asc' });
  const [state, setState] = useState<RecordState>('active');
  const [search, setSearch] = useState('');
  const asked = useDebounced(search.trim());
  const cases = useCases({
    project_id: projectId,
    ...sorting,
    ...(asked === '' ? {} : { search: asked }),
    ...(state === 'archived' ? { state } : {}),
  });
  const contested = useContested(cases.data ?? []).data ?? [];
  const navigate = useNavigate();
  const create = useMay(upsertCase) ? (
    <Button variant="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={onCreate}>
      {t('New case')}
    </Button>
  ) : undefined;
  const isSearching = search !== '' || asked !== '' || state !== 'active';
  const clear = () => {
    setSearch('');
    setState('active');
  };
  const some = isSearching || (cases.data !== undefined && cases.data.length > 0);
  return (
    <Section title={t('Cases')} actions={some ? create : undefined}>
      {some && (
        <div className="toolbar" role="group" aria-label={t('Filter cases')}>
          {state !== 'deleted' && (
            <SearchField label={t('Search cases')} value={search} onValue={setSearch} />
          )}
          <Select inline label={t('Show')} options={STATES} value={state} onValue={setState} />
        </div>
      )}
      {state === 'deleted' && <DeletedCases projectId={projectId} onClear={clear} />}
      {state !== 'deleted' && (
        <Loaded query={cases} what={t('cases')}>
          {(entries) => {
            if (entries.length > 0)
              return (
                <>
                  <CasesTable
                    cases={entries}
                    contested={contested}
                    sorting={sorting}
                    onSort={setSorting}
                    more={(entry) => <CaseMenu entry={entry} state={state} />}
                  />
                  <ListPager list={cases} what={t('cases')} />
                </>
              );
            if (isSearching)
              return (
                <EmptyState
                  title={
                    search === '' && state === 'archived'
                      ? t('No case is archived')
                      : t('No case matches')
                  }
                  actions={<Button onClick={clear}>{t('Clear the search')}</Button>}
                />
              );
            return (
              <EmptyState title={t('No cases yet')} actions={create}>
                <p>
                  {t(
                    'A case bears the evidence: its items are the rows of a matrix, the rules of one profile its columns.',
                  )}
                </p>
              </EmptyState>
            );
          }}
        </Loaded>
      )}
      {creating && (
        <NewCase
          projectId={projectId}
          onClose={onClose}
          onSaved={(saved) => void navigate(casePath(saved.case_uid))}
        />
      )}
    </Section>
  );
}

/** Profiles are asked for where one is chosen. */
function NewCase(props: Omit<ComponentProps<typeof CaseDialog>, 'profiles'>) {
  const profiles = useProfiles();
  const offered = profiles.data?.map(({ newest }) => newest).filter(({ retired }) => !retired);
  return <CaseDialog {...props} profiles={offered ?? []} />;
}

function LatestRuns({ projectId }: { projectId: ProjectId }) {
  const runs = useLatestRuns({ project_id: projectId }, LATEST);
  return (
    <Section
      title={t('Latest runs')}
      actions={
        <ButtonLink size="sm" to={`${STUDIO_PAGES.runs}?project=${projectId}`}>
          {t('All runs of this project')}
        </ButtonLink>
      }
    >
      <Loaded query={runs} what={t('runs')} lines={3}>
        {({ runs: entries }) =>
          entries.length === 0 ? (
            <p className="muted">{t('No run yet. A run is made from a case.')}</p>
          ) : (
            <RunsTable runs={entries} />
          )
        }
      </Loaded>
    </Section>
  );
}
