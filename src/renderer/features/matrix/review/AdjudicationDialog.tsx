import { ListChecks, X } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { describeFailure } from '../../../state/failure.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { adjudicationOf } from '../conflicts/adjudication.ts';
import type { Adjudication } from '../conflicts/adjudication-state.ts';
import { useEditor, useEditorState, useMayWrite } from '../editor/use-editor.ts';
import { AdjudicationRows } from './AdjudicationRows.tsx';
import { CompareRatings } from './CompareRatings.tsx';
import { TakeOverPreview } from './TakeOverPreview.tsx';
import { focusAfter } from './focus-after.ts';
import { useReviewKeys } from './use-review-keys.ts';
import { WhyForm } from './WhyForm.tsx';
import './review.css';
import { t } from '../../../text/t.ts';

/** What independent recorders of this matrix differ on, beside the record. */
export function AdjudicationDialog() {
  const adjudication = adjudicationOf(useEditor());
  const open = useStore(adjudication.store, (state) => state.open);
  useEffect(() => () => adjudication.close(), [adjudication]);
  return open ? <Open adjudication={adjudication} /> : null;
}

function Open({ adjudication }: { adjudication: Adjudication }) {
  const { round, rounds, loading, failure, takeOver } = useStore(adjudication.store);
  const hasCell = useStore(adjudication.store, ({ at }) => at !== null);
  const mayWrite = useMayWrite();
  const onKeyDown = useReviewKeys();
  const listRef = useRef<HTMLDivElement>(null);
  const whyRef = useRef<HTMLInputElement>(null);
  useEffect(() => {
    adjudication.dialog = {
      focusWhy: () => whyRef.current?.focus(),
      listFocus: () => focusAfter(listRef),
    };
    return () => {
      adjudication.dialog = undefined;
    };
  }, [adjudication]);
  // What has the keys is there only once it is read.
  useEffect(() => {
    if (!loading) listRef.current?.focus();
  }, [loading]);
  const isNone = !loading && failure === undefined && rounds.length === 0;
  return (
    <Dialog
      full
      onClose={adjudication.close}
      title={t('Decide where independent recorders differ')}
      focus="dialog"
      footer={
        mayWrite && hasCell && takeOver === null ? (
          <div className="mx-contests-keys" role="presentation" onKeyDown={onKeyDown}>
            <DecideForm adjudication={adjudication} whyRef={whyRef} />
          </div>
        ) : (
          <Foot adjudication={adjudication} />
        )
      }
    >
      {failure !== undefined && (
        <FailureNotice
          failure={describeFailure(failure)}
          onRetry={() => void adjudication.open(round ?? undefined)}
        />
      )}
      {isNone && (
        <EmptyState title={t('No independent recording is released')}>
          <p>
            {t('Once one of this matrix is, the cells on which its recorders differ are here.')}
          </p>
        </EmptyState>
      )}
      {rounds.length > 0 && (
        <div className="mx-contests" role="presentation" onKeyDown={onKeyDown}>
          <Side adjudication={adjudication} listRef={listRef} />
          <div className="mx-contests-main">
            <Main adjudication={adjudication} />
          </div>
        </div>
      )}
    </Dialog>
  );
}

function Main({ adjudication }: { adjudication: Adjudication }) {
  const { takeOver, at, loading, recorders } = useStore(adjudication.store);
  if (loading) return <Skeleton label={t('Reading the recordings…')} lines={8} />;
  const isAwaited = recorders.some(({ fit }) => fit === 'awaited');
  return (
    <>
      {isAwaited && (
        <Notice tone="warning" title={t('A recording is not here as a whole yet')}>
          <p>{t('It counts once it is: what differs, and what all agree on, may change.')}</p>
        </Notice>
      )}
      {takeOver !== null ? (
        <TakeOverPreview takeOver={takeOver} />
      ) : at === null ? (
        <EmptyState title={t('Nothing to decide')}>
          <p>{t('In no cell of this matrix do the recorders stand so.')}</p>
        </EmptyState>
      ) : (
        <CompareRatings adjudication={adjudication} />
      )}
    </>
  );
}

/** Where nothing is to be decided, only read, or what all agree on taken over. */
function Foot({ adjudication }: { adjudication: Adjudication }) {
  const { takeOver, busy } = useStore(adjudication.store);
  const mayWrite = useMayWrite();
  const access = useEditor().session.saveStatus.access;
  const notice = useEditorState((state) => state.notice);
  const words = access.may === 'read' ? t('Read only. {words}', { words: access.words }) : '';
  return (
    <>
      <p className="mx-contests-news small" role="status">
        {mayWrite ? notice?.text : words}
      </p>
      {takeOver === null ? (
        <Button variant="primary" onClick={adjudication.close}>
          {t('Close')}
        </Button>
      ) : (
        <>
          <Button
            icon={<X size={14} aria-hidden="true" />}
            onClick={() => void adjudication.preview(false)}
          >
            {t('Back to one by one')}
          </Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={!mayWrite || takeOver.cells.length === 0}
            onClick={() => void adjudication.takeOverAll()}
          >
            {t('Take over {cells, plural, one {# cell} other {# cells}}', {
              cells: takeOver.cells.length,
            })}
          </Button>
        </>
      )}
    </>
  );
}

function DecideForm({
  adjudication,
  whyRef,
}: {
  adjudication: Adjudication;
  whyRef: RefObject<HTMLInputElement | null>;
}) {
  const { why, lastWhy, choice, busy } = useStore(adjudication.store);
  const submit = (): void => {
    if (choice !== null) void adjudication.resolve();
  };
  return (
    <WhyForm
      why={why}
      lastWhy={lastWhy}
      setWhy={(words) => adjudication.setWhy(words)}
      whyRef={whyRef}
      onSubmit={submit}
    >
      <Button onClick={adjudication.showInMatrix}>{t('Show in the matrix')}</Button>
      <Button
        variant="primary"
        type="submit"
        busy={busy}
        disabled={busy || choice === null || why.trim() === ''}
      >
        {t('Record the decision')}
      </Button>
    </WhyForm>
  );
}

/** Which recordings, how far the decisions are, and all cells to decide. */
function Side({
  adjudication,
  listRef,
}: {
  adjudication: Adjudication;
  listRef: RefObject<HTMLDivElement | null>;
}) {
  const { rounds, round, agreement, list, decided, gone, authors, takeOver, loading } = useStore(
    adjudication.store,
  );
  const mayWrite = useMayWrite();
  return (
    <div className="mx-contests-side">
      {rounds.length > 1 && (
        <Select
          label={t('Independent recording')}
          options={rounds.map(({ id, title }) => ({ value: id, label: title }))}
          value={round}
          onValue={(next) => void adjudication.look(next, agreement)}
        />
      )}
      <Select
        label={t('Cells')}
        options={[
          { value: 'differing', label: t('that recorders recorded differently') },
          { value: 'incomplete', label: t('that not all recorders recorded') },
        ]}
        value={agreement}
        onValue={(next) => {
          if (round !== null) void adjudication.look(round, next);
        }}
      />
      <p className="small" role="status">
        {!loading &&
          t('{decided, number} of {cells, plural, one {# cell} other {# cells}} decided', {
            decided: decided.size,
            cells: list.length,
          })}
        {gone > 0 &&
          ` ${t('{gone, plural, one {# cell} other {# cells}} of removed items left out.', { gone })}`}
      </p>
      <AdjudicationRows adjudication={adjudication} listRef={listRef} />
      <CheckField
        label={t('Show who recorded what')}
        checked={authors}
        onChecked={adjudication.showAuthors}
      />
      {mayWrite && takeOver === null && (
        <Button
          icon={<ListChecks size={15} aria-hidden="true" />}
          onClick={() => void adjudication.preview(true)}
        >
          {t('Take over what all agree on…')}
        </Button>
      )}
    </div>
  );
}
