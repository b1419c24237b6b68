import { known, type RunUid } from '../../../shared/contract/ids.ts';
import { useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import type { RunListEntry } from '../../data/api/library.ts';
import { formatDateTime } from '../../state/format.ts';
import { useQuery } from '../../state/query.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Comparison } from './Comparison.tsx';
import { diffRuns } from './run-diff.ts';
import { runPath } from './RunsTable.tsx';
import { Since } from './Since.tsx';
import { useRunsOfCase } from './use-runs.ts';
import './runs.css';

/** In place of a run, and the name of none: the matrix as it is now. */
const NOW = '_now';

/** The run of the address beside another of its case, or beside the matrix as it is now. */
export function ComparePage() {
  const runUid = known.runUid.parse(useParams().runUid);
  const [search, setSearch] = useSearchParams();
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  const earlier = search.get('with');
  const title =
    run.data === undefined ? 'Compare runs' : `Compare runs of ${run.data.frozen.case.title}`;
  return (
    <Page
      title={title}
      crumbs={[
        { label: 'Runs', to: STUDIO_PAGES.runs },
        { label: runUid, to: runPath(runUid) },
      ]}
    >
      <Loaded query={run} what="the run" lines={6}>
        {(later) => (
          <>
            <Choice
              later={later}
              earlier={earlier}
              onChoose={(uid) => setSearch({ with: uid }, { replace: earlier !== null })}
            />
            {earlier === NOW && <Since run={later} />}
            {earlier !== null && earlier !== NOW && (
              <Two key={earlier} later={later} earlierUid={known.runUid.parse(earlier)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const runName = (run: Pick<RunListEntry, 'created_at' | 'run_uid'>): string =>
  `${formatDateTime(run.created_at)}, ${run.run_uid}`;

function Choice({
  later,
  earlier,
  onChoose,
}: {
  later: RunRecord;
  earlier: string | null;
  onChoose: (uid: string) => void;
}) {
  const runs = useRunsOfCase(later.case_uid);
  return (
    <Loaded query={runs} what="the other runs of the case">
      {(entries) => {
        const others = entries.filter((entry) => entry.run_uid !== later.run_uid);
        return (
          <div className="toolbar" role="group" aria-label="Runs to compare">
            <Select
              inline
              label="Compare with"
              value={earlier}
              onValue={onChoose}
              placeholder="Choose a run"
              options={[
                { value: NOW, label: 'The matrix as it is now' },
                ...others.map((entry) => ({ value: entry.run_uid, label: runName(entry) })),
              ]}
            />
            <span>
              this run: <strong>{runName(later)}</strong>
            </span>
          </div>
        );
      }}
    </Loaded>
  );
}

function Two({ later, earlierUid }: { later: RunRecord; earlierUid: RunUid }) {
  const earlier = useQuery(`run/${earlierUid}`, (library) => library.run(earlierUid));
  return (
    <Loaded query={earlier} what="the other run" lines={6}>
      {(from) => <Differences from={from} to={later} />}
    </Loaded>
  );
}

function Differences({ from, to }: { from: RunRecord; to: RunRecord }) {
  const diff = useMemo(() => diffRuns(from, to), [from, to]);
  return <Comparison from={from} to={to} diff={diff} />;
}
