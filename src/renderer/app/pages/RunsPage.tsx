import { useSearchParams } from 'react-router';
import { createRun } from '../../../shared/contract/v1/runs.ts';
import { RunsTable } from '../../features/runs/RunsTable.tsx';
import { useRuns } from '../../features/runs/use-runs.ts';
import { plural } from '../../state/format.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { useCases, useProjects } from '../find.ts';

const ALL = 'all';

/** Every run of the account, newest first; the filters stand in the address. */
export function RunsPage() {
  const [search, setSearch] = useSearchParams();
  const project = search.get('project') ?? undefined;
  const caseUid = search.get('case') ?? undefined;
  const mayRun = useMay(createRun);
  const runs = useRuns({
    ...(project === undefined ? {} : { project_id: project }),
    ...(caseUid === undefined ? {} : { case_uid: caseUid }),
  });
  const projects = useProjects().data ?? [];
  const cases = useCases(project).data ?? [];
  const choose = (name: 'project' | 'case', value: string) => {
    const next = new URLSearchParams(search);
    if (value === ALL) next.delete(name);
    else next.set(name, value);
    // A case belongs to one project: another project drops the choice of case.
    if (name === 'project') next.delete('case');
    setSearch(next, { replace: true });
  };
  const filtered = project !== undefined || caseUid !== undefined;
  return (
    <Page title="Runs">
      <div className="toolbar" role="group" aria-label="Filter runs">
        <Select
          inline
          label="Project"
          value={project ?? ALL}
          onValue={(value) => choose('project', value)}
          options={[
            { value: ALL, label: 'All projects' },
            ...projects.map((entry) => ({ value: entry.project_id, label: entry.name })),
          ]}
        />
        <Select
          inline
          label="Case"
          value={caseUid ?? ALL}
          onValue={(value) => choose('case', value)}
          options={caseOptions(cases, caseUid)}
        />
        {runs.data !== undefined && (
          <p className="muted small" role="status">
            {plural(runs.data.length, 'run')}
          </p>
        )}
      </div>
      <Loaded query={runs} what="runs" lines={8}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState
              title={filtered ? 'No run matches' : 'No runs yet'}
              actions={
                filtered ? (
                  <Button onClick={() => setSearch({}, { replace: true })}>
                    Clear the filters
                  </Button>
                ) : undefined
              }
            >
              {!filtered && (
                <p>
                  A run freezes a case with its matrix and result.
                  {mayRun && ' Open a case and choose Run.'}
                </p>
              )}
            </EmptyState>
          ) : (
            <RunsTable runs={entries} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** The case of the address is offered even before the list of cases is here. */
function caseOptions(
  cases: readonly { case_uid: string; title: string }[],
  chosen: string | undefined,
) {
  const options = [
    { value: ALL, label: 'All cases' },
    ...cases.map((entry) => ({
      value: entry.case_uid,
      label: entry.title,
      detail: entry.case_uid,
    })),
  ];
  return chosen === undefined || options.some((option) => option.value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }];
}
