import { useDeferredValue, useMemo, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { plural } from '../../../state/format.ts';
import { useMatrixSession } from '../../../state/use-matrix-session.ts';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { Cells } from './ChangedCells.tsx';
import { Uids } from './Comparison.tsx';
import { diffWorking } from './working-diff.ts';

/** What became of the matrix after a run froze it; follows the matrix while it is open. */
export function Since({ run }: { run: RunRecord }) {
  const { case_uid, profile_uid: uid, profile_version: version } = run;
  const profile = useMemo(() => ({ uid, version }), [uid, version]);
  const state = useMatrixSession(case_uid, profile);
  if (state.kind === 'failed')
    return <FailureNotice failure={state.failure} onRetry={state.retry} />;
  if (state.kind === 'opening') return <Skeleton label="Opening the matrix…" lines={6} />;
  return <Differences run={run} session={state.session} />;
}

function Differences({ run, session }: { run: RunRecord; session: MatrixSession }) {
  const revision = useDeferredValue(
    useSyncExternalStore(session.subscribe, () => session.revision),
  );
  const diff = useMemo(
    () => ({ revision, ...diffWorking(run, session) }),
    [run, session, revision],
  );
  const changes = [
    [diff.cells.length, 'cell', 'changed'],
    [diff.itemsAdded.length, 'item', 'added'],
    [diff.itemsGone.length, 'item', 'removed'],
  ] as const;
  const words = changes
    .filter(([count]) => count > 0)
    .map(([count, what, done]) => `${plural(count, what)} ${done}`);
  return (
    <>
      <p className="headline">
        {words.length === 0
          ? 'The matrix is as the run froze it.'
          : `Since the run: ${words.join(', ')}.`}{' '}
        The run itself stays as it was.{' '}
        <Link
          to={`${pageAddress('case', { caseUid: run.case_uid })}?profile=${run.profile_uid}@${run.profile_version}`}
        >
          Open the matrix
        </Link>
      </p>
      <Cells
        cells={diff.cells}
        run={run}
        heads={['In the run', 'Now']}
        note="Cells of items that both have. Details are source value, provenance and notes."
      />
      <Uids title="Items added since" uids={diff.itemsAdded} />
      <Uids title="Items removed since" uids={diff.itemsGone} />
    </>
  );
}
