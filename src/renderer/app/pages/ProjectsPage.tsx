import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
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
import type { Sorting } from '../../ui/SortHeading.tsx';
import { useProjects } from '../find.ts';
import type { CREATE } from '../use-menu-actions.ts';

/** The start page: every project of the account, or a first step where there is none. */
export function ProjectsPage() {
  const [sorting, setSorting] = useState<Sorting<ProjectSort>>({ sort: 'created', order: 'asc' });
  const [search, setSearch] = useState('');
  const asked = useDebounced(search.trim());
  const projects = useProjects({ ...sorting, ...(asked === '' ? {} : { search: asked }) });
  const navigate = useNavigate();
  const [editing, setEditing] = useState<Project | 'new' | null>(null);
  const mayWrite = useMay(upsertProject);
  const { key, state } = useLocation();
  useEffect(() => {
    if ((state as typeof CREATE | null)?.create === true && mayWrite) setEditing('new');
  }, [key, state, mayWrite]);
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={15} aria-hidden="true" />}
      onClick={() => setEditing('new')}
    >
      New project
    </Button>
  );
  const isSearching = search !== '' || asked !== '';
  const some = isSearching || (projects.data !== undefined && projects.data.length > 0);
  return (
    <Page title="Projects" actions={some && mayWrite ? create : undefined}>
      {some && <SearchField label="Search projects" value={search} onValue={setSearch} />}
      <Loaded query={projects} what="projects">
        {(entries) => {
          if (entries.length > 0) {
            return (
              <>
                <ProjectsTable
                  projects={entries}
                  sorting={sorting}
                  onSort={setSorting}
                  onEdit={mayWrite ? setEditing : undefined}
                />
                <ListPager list={projects} what="projects" />
                {mayWrite && (
                  <div className="actions muted small">
                    <span>A filled case with invented data, for finding your way around:</span>
                    <SampleOffer resettable />
                  </div>
                )}
              </>
            );
          }
          if (isSearching)
            return (
              <EmptyState
                title="No project matches"
                actions={<Button onClick={() => setSearch('')}>Clear the search</Button>}
              />
            );
          if (!mayWrite)
            return (
              <EmptyState title="No projects yet">
                <p>Members of this account make them; you are a viewer here.</p>
              </EmptyState>
            );
          return (
            <EmptyState
              title="Start with a project"
              actions={
                <>
                  {create}
                  <SampleOffer />
                </>
              }
            >
              <p>
                A project holds cases. A case is a matrix of items and the rules of one evidence
                profile, recorded cell by cell and frozen in runs.
              </p>
              <p>
                The sample project is a filled case with invented data, for finding your way around.
                It is created only if you open it.
              </p>
            </EmptyState>
          );
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
