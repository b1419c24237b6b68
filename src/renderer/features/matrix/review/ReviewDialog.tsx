import { ListChecks, Users, X } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { useEditor, useEditorState, useMayWrite } from '../editor/use-editor.ts';
import { BulkForm } from './BulkForm.tsx';
import { Compare } from './Compare.tsx';
import { sumsOf } from '../conflicts/decide.ts';
import { reviewOf } from '../conflicts/review.ts';
import { conflictAt, type Review } from '../conflicts/review-state.ts';
import { adjudicationOf } from '../conflicts/adjudication.ts';
import { Removed } from './Removed.tsx';
import { ReviewRows } from './ReviewRows.tsx';
import { focusAfter } from './focus-after.ts';
import { useReviewKeys } from './use-review-keys.ts';
import { WhyForm } from './WhyForm.tsx';
import './review.css';
import { t } from '../../../text/t.ts';

/** Everything that waits to be resolved in this matrix. */
export function ReviewDialog() {
  const editor = useEditor();
  const review = reviewOf(editor);
  const open = useStore(review.store, (state) => state.open);
  useEffect(() => () => review.close(), [review]);
  return open ? <Open review={review} /> : null;
}

function Open({ review }: { review: Review }) {
  const mayWrite = useMayWrite();
  const isEmpty = useStore(review.store, (state) => state.list.length === 0);
  const onKeyDown = useReviewKeys();
  const listRef = useRef<HTMLDivElement>(null);
  const whyRef = useRef<HTMLInputElement>(null);
  useEffect(() => {
    review.dialog = {
      focusWhy: () => whyRef.current?.focus(),
      listFocus: () => focusAfter(listRef),
    };
    return () => {
      review.dialog = undefined;
    };
  }, [review]);
  return (
    <Dialog
      full
      onClose={review.close}
      title={t('Resolve conflicts')}
      focus={listRef}
      footer={
        isEmpty || !mayWrite ? (
          <ReadFooter review={review} />
        ) : (
          <div className="mx-contests-keys" role="presentation" onKeyDown={onKeyDown}>
            <ResolveForm review={review} whyRef={whyRef} />
          </div>
        )
      }
    >
      {isEmpty ? (
        <EmptyState title={t('No conflicts')}>
          <p>{t('Every cell has one value, or values that agree.')}</p>
        </EmptyState>
      ) : (
        <div className="mx-contests" role="presentation" onKeyDown={onKeyDown}>
          <Side review={review} listRef={listRef} />
          <Main review={review} />
        </div>
      )}
    </Dialog>
  );
}

/** Where nothing is to be resolved, or the person may only read. */
function ReadFooter({ review }: { review: Review }) {
  const mayWrite = useMayWrite();
  const hasConflict = useStore(review.store, (state) => conflictAt(state) !== undefined);
  const notice = useEditorState((state) => state.notice);
  return (
    <>
      <p className="mx-contests-news small" role="status">
        {mayWrite ? notice?.text : t('Read only.')}
      </p>
      {hasConflict && !mayWrite && (
        <Button onClick={review.showInMatrix}>{t('Show in the matrix')}</Button>
      )}
      <Button variant="primary" onClick={review.close}>
        {t('Close')}
      </Button>
    </>
  );
}

function ResolveForm({
  review,
  whyRef,
}: {
  review: Review;
  whyRef: RefObject<HTMLInputElement | null>;
}) {
  const { bulk, why, lastWhy, choice, busy } = useStore(review.store);
  const kind = useStore(review.store, (state) => conflictAt(state)?.kind);
  const resolved = bulk === null ? 0 : sumsOf(bulk.plan).resolved;
  const isReady = !busy && (bulk === null ? choice !== null : resolved > 0);
  const submit = (): void => {
    if (isReady) void (bulk === null ? review.resolve() : review.resolveAll());
  };
  return (
    <WhyForm
      why={why}
      lastWhy={lastWhy}
      setWhy={(words) => review.setWhy(words)}
      whyRef={whyRef}
      onSubmit={submit}
    >
      {bulk === null ? (
        <>
          <Button onClick={() => review.edit()} disabled={kind === 'item' || kind === 'removed'}>
            {t('Other value')}
          </Button>
          <Button onClick={review.showInMatrix}>{t('Show in the matrix')}</Button>
        </>
      ) : (
        <Button icon={<X size={14} aria-hidden="true" />} onClick={() => review.plan(null)}>
          {t('Back to one by one')}
        </Button>
      )}
      <Button variant="primary" type="submit" busy={busy} disabled={!isReady || why.trim() === ''}>
        {bulk === null
          ? t('Resolve')
          : t('Resolve {cells, plural, one {# cell} other {# cells}}', { cells: resolved })}
      </Button>
    </WhyForm>
  );
}

/** The list of conflicts, and the way to many at once. */
function Side({ review, listRef }: { review: Review; listRef: RefObject<HTMLDivElement | null> }) {
  const editor = useEditor();
  const { session } = editor;
  const mayWrite = useMayWrite();
  const { list, at, bulk } = useStore(review.store);
  const plan = useMemo(
    () =>
      bulk === null
        ? undefined
        : new Map(bulk.plan.map((decision) => [decision.contest.reg, decision])),
    [bulk],
  );
  const shown = bulk === null ? list : bulk.plan.map(({ contest }) => contest);
  const place = shown.findIndex(({ reg }) => reg === at);
  return (
    <div className="mx-contests-side">
      <p className="small" role="status">
        {place >= 0
          ? t('{at, number} of {conflicts, plural, one {# conflict} other {# conflicts}}', {
              at: place + 1,
              conflicts: shown.length,
            })
          : t('{conflicts, plural, one {# conflict} other {# conflicts}}', {
              conflicts: shown.length,
            })}
      </p>
      <ReviewRows
        session={session}
        list={shown}
        at={at}
        plan={plan}
        onGo={review.go}
        onStep={review.step}
        listRef={listRef}
      />
      {bulk === null && mayWrite && (
        <Button icon={<ListChecks size={15} aria-hidden="true" />} onClick={() => review.plan({})}>
          {t('Resolve many by a rule…')}
        </Button>
      )}
      {editor.rounds !== undefined && (
        <Button
          icon={<Users size={15} aria-hidden="true" />}
          onClick={() => {
            review.close();
            void adjudicationOf(editor).open();
          }}
        >
          {t('Independent recordings…')}
        </Button>
      )}
    </div>
  );
}

function Main({ review }: { review: Review }) {
  const bulk = useStore(review.store, (state) => state.bulk);
  const conflict = useStore(review.store, conflictAt);
  return (
    <div className="mx-contests-main">
      {bulk !== null && <BulkForm review={review} bulk={bulk} />}
      {conflict !== undefined &&
        (conflict.kind === 'removed' ? (
          <Removed review={review} contest={conflict} />
        ) : (
          <Compare review={review} contest={conflict} />
        ))}
    </div>
  );
}
