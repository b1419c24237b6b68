import { known, type RunUid } from '../../../../shared/contract/ids.ts';
import { useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { useQuery } from '../../../state/query.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Page } from '../../../ui/Page.tsx';
import { Comparison } from './Comparison.tsx';
import { diffRuns } from '../../../../shared/domain/run-diff.ts';
import { runPath } from '../RunsTable.tsx';
import { NOW, RunChoice } from './RunChoice.tsx';
import { Since } from './Since.tsx';
import '../runs.css';
import { t } from '../../../text/t.ts';

/** The run of the address beside any other, or beside the matrix as it is now. */
export function ComparePage() {
  const runUid = known.runUid.parse(useParams().runUid);
  const [search, setSearch] = useSearchParams();
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  const earlier = search.get('with');
  const title =
    run.data === undefined
      ? t('Compare runs')
      : t('Compare runs of {title}', { title: run.data.frozen.case.title });
  return (
    <Page
      title={title}
      crumbs={[
        { label: t('Runs'), to: STUDIO_PAGES.runs },
        { label: runUid, to: runPath(runUid) },
      ]}
    >
      <Loaded query={run} what={t('the run')} lines={6}>
        {(later) => (
          <>
            <RunChoice
              later={later}
              earlier={earlier}
              of={search.get('of')}
              onCase={(of) => setSearch(of === null ? {} : { of }, { replace: true })}
              onChoose={(uid) => {
                const of = search.get('of');
                setSearch(
                  { with: uid, ...(of === null ? {} : { of }) },
                  { replace: earlier !== null },
                );
              }}
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

function Two({ later, earlierUid }: { later: RunRecord; earlierUid: RunUid }) {
  const earlier = useQuery(`run/${earlierUid}`, (library) => library.run(earlierUid));
  return (
    <Loaded query={earlier} what={t('the other run')} lines={6}>
      {(from) => <Differences from={from} to={later} />}
    </Loaded>
  );
}

function Differences({ from, to }: { from: RunRecord; to: RunRecord }) {
  const diff = useMemo(() => diffRuns(from, to), [from, to]);
  return <Comparison from={from} to={to} diff={diff} />;
}
