import { Plus } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import {
  type Project,
  type ProjectSort,
  upsertProject,
} from '../../../shared/contract/v1/projects.ts';
import { ProjectDialog } from '../../features/projects/ProjectDialog.tsx';
import { ProjectsTable } from '../../features/projects/ProjectsTable.tsx';
import { SampleOffer } from '../../features/sample/SampleOffer.tsx';
import { useDebounced } from '../../state/use-debounced.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import type { Sorting } from '../../ui/SortHeading.tsx';
import { useProjects } from '../find.ts';
import { ChooseFile } from '../first-files/ChooseFile.tsx';
import { Home } from '../home/Home.tsx';
import { ProjectMenu } from '../housekeeping/ProjectMenu.tsx';
import { STATES } from '../housekeeping/states.ts';
import type { CREATE } from '../use-menu-actions.ts';
import { t } from '../../text/t.ts';

const NONE: Readonly<Record<RecordState, string>> = {
  active: t('No project matches'),
  archived: t('No project is archived'),
  deleted: t('No project is deleted'),
};

/** The start page: every project of the account, or a first step where there is none. */
export function ProjectsPage() {
  const [sorting, setSorting] = useState<Sorting<ProjectSort>>({ sort: 'created', order: 'asc' });
  const [search, setSearch] = useState('');
  const asked = useDebounced(search.trim());
  const [state, setState] = useState<RecordState>('active');
  const projects = useProjects({
    ...sorting,
    ...(asked === '' ? {} : { search: asked }),
    ...(state === 'active' ? {} : { state }),
  });
  const navigate = useNavigate();
  const [editing, setEditing] = useState<Project | 'new' | null>(null);
  const mayWrite = useMay(upsertProject);
  const { key, state: sent } = useLocation();
  useEffect(() => {
    if ((sent as typeof CREATE | null)?.create === true && mayWrite) setEditing('new');
  }, [key, sent, mayWrite]);
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={15} aria-hidden="true" />}
      onClick={() => setEditing('new')}
    >
      {t('New project')}
    </Button>
  );
  const isSearching = search !== '' || asked !== '' || state !== 'active';
  const clear = () => {
    setSearch('');
    setState('active');
  };
  // The list stays where it is once it is drawn: what stands above it comes first.
  const [isHomeThere, setHomeThere] = useState(false);
  const onHomeThere = useCallback(() => setHomeThere(true), []);
  const some = isSearching || (projects.data !== undefined && projects.data.length > 0);
  const isHeld = some && state === 'active' && !isHomeThere;
  return (
    <Page title={t('Projects')} actions={some && mayWrite ? create : undefined}>
      {some && state === 'active' && <Home onThere={onHomeThere} />}
      {some && !isHeld && (
        <div className="toolbar" role="group" aria-label={t('Filter projects')}>
          <SearchField label={t('Search projects')} value={search} onValue={setSearch} />
          <Select inline label={t('Show')} options={STATES} value={state} onValue={setState} />
        </div>
      )}
      <Loaded query={isHeld ? { ...projects, data: undefined } : projects} what={t('projects')}>
        {(entries) => {
          if (entries.length > 0) {
            return (
              <>
                <ProjectsTable
                  projects={entries}
                  sorting={sorting}
                  onSort={setSorting}
                  onEdit={mayWrite && state !== 'deleted' ? setEditing : undefined}
                  more={(project) => <ProjectMenu project={project} state={state} />}
                />
                <ListPager list={projects} what={t('projects')} />
                {mayWrite && state === 'active' && (
                  <div className="actions muted small">
                    <span>
                      {t('A filled case with invented data, for finding your way around:')}
                    </span>
                    <SampleOffer resettable />
                  </div>
                )}
              </>
            );
          }
          if (isSearching)
            return (
              <EmptyState
                title={search === '' ? NONE[state] : t('No project matches')}
                actions={<Button onClick={clear}>{t('Clear the search')}</Button>}
              />
            );
          return <NoProjects create={create} mayWrite={mayWrite} />;
        }}
      </Loaded>
      {editing !== null && (
        <ProjectDialog
          {...(editing === 'new' ? {} : { project: editing })}
          onClose={() => setEditing(null)}
          onSaved={(project) => {
            setEditing(null);
            if (editing === 'new')
              void navigate(pageAddress('project', { projectId: project.project_id }));
          }}
        />
      )}
    </Page>
  );
}

/** The first step. */
function NoProjects({ create, mayWrite }: { create: ReactNode; mayWrite: boolean }) {
  if (!mayWrite)
    return (
      <EmptyState title={t('No projects yet')}>
        <p>{t('Members of this account make them; you are a viewer here.')}</p>
      </EmptyState>
    );
  return (
    <EmptyState
      title={t('Start with a project')}
      actions={
        <>
          {create}
          <ChooseFile />
          <SampleOffer />
        </>
      }
    >
      <p>
        {t(
          'A project holds cases. A case is a matrix of items and the rules of one evidence profile, recorded cell by cell and frozen in runs.',
        )}
      </p>
      <p>
        {t('Or begin with a sheet: choose it, or drop it on the window. Its case is made with it.')}
      </p>
      <p>
        {t(
          'The sample project is a filled case with invented data, for finding your way around. It is created only if you open it.',
        )}
      </p>
    </EmptyState>
  );
}
