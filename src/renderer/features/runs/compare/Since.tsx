import { useDeferredValue, useMemo, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { useMatrixSession } from '../../../state/use-matrix-session.ts';
import { HiddenMatrix } from '../../../ui/HiddenMatrix.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { Cells } from './ChangedCells.tsx';
import { Uids } from './Comparison.tsx';
import { diffWorking } from './working-diff.ts';
import { t } from '../../../text/t.ts';

/** What became of the matrix after a run froze it; follows the matrix while it is open. */
export function Since({ run }: { run: RunRecord }) {
  const { case_uid, profile_uid: uid, profile_version: version } = run;
  const profile = useMemo(() => ({ uid, version }), [uid, version]);
  const state = useMatrixSession(case_uid, profile);
  if (state.kind === 'failed')
    return <FailureNotice failure={state.failure} onRetry={state.retry} />;
  if (state.kind === 'hidden') return <HiddenMatrix round={state.round} />;
  if (state.kind === 'opening') return <Skeleton label={t('Opening the matrix…')} lines={6} />;
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
  const [cells, added, removed] = [
    diff.cells.length,
    diff.itemsAdded.length,
    diff.itemsGone.length,
  ];
  const changes = [
    cells > 0 && t('{cells, plural, one {# cell} other {# cells}} changed', { cells }),
    added > 0 && t('{items, plural, one {# item} other {# items}} added', { items: added }),
    removed > 0 && t('{items, plural, one {# item} other {# items}} removed', { items: removed }),
  ].filter((words) => words !== false);
  return (
    <>
      <p className="headline">
        {changes.length === 0
          ? t('The matrix is as the run froze it.')
          : t('Since the run: {changes}.', { changes: changes.join(', ') })}{' '}
        {t('The run itself stays as it was.')}{' '}
        <Link
          to={`${pageAddress('case', { caseUid: run.case_uid })}?profile=${run.profile_uid}@${run.profile_version}`}
        >
          {t('Open the matrix')}
        </Link>
      </p>
      <Cells
        cells={diff.cells}
        run={run}
        heads={[t('In the run'), t('Now')]}
        note={t('Cells of items that both have. Details are source value, provenance and notes.')}
      />
      <Uids title={t('Items added since')} uids={diff.itemsAdded} />
      <Uids title={t('Items removed since')} uids={diff.itemsGone} />
    </>
  );
}
