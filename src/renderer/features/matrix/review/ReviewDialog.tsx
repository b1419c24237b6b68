import { ListChecks, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { chordOf } from '../model/keymap.ts';
import { type Action, isOffered } from '../actions/actions.ts';
import { actionFor, reviewActionFor } from '../actions/keys.ts';
import { useEditor, useEditorState, useMayWrite } from '../editor/use-editor.ts';
import { BulkForm } from './BulkForm.tsx';
import { Compare } from './Compare.tsx';
import { sumsOf } from '../conflicts/decide.ts';
import { reviewOf } from '../conflicts/review.ts';
import type { Review } from '../conflicts/review-state.ts';
import { Removed } from './Removed.tsx';
import { ReviewRows } from './ReviewRows.tsx';
import './review.css';

const TEXT = 'input:not([type=radio]), textarea, select, [role=combobox]';

/** What was settled here can be taken back here. */
const history = (chord: string): Action | undefined => {
  const action = actionFor(chord);
  return action?.group === 'History' ? action : undefined;
};

/** Everything that waits to be settled in this matrix. */
export function ReviewDialog() {
  const editor = useEditor();
  const review = reviewOf(editor);
  const open = useStore(review.store, (state) => state.open);
  useEffect(() => () => review.close(), [review]);
  return open ? <Open review={review} /> : null;
}

function Open({ review }: { review: Review }) {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const { list, at, bulk, why, lastWhy, choice, busy } = useStore(review.store);
  const notice = useEditorState((state) => state.notice);
  const listRef = useRef<HTMLDivElement>(null);
  const whyRef = useRef<HTMLInputElement>(null);
  useEffect(() => {
    review.dialog = {
      focusWhy: () => whyRef.current?.focus(),
      focusList: () => listRef.current?.focus(),
    };
    return () => {
      review.dialog = undefined;
    };
  }, [review]);
  const plan = useMemo(
    () =>
      bulk === null
        ? undefined
        : new Map(bulk.plan.map((decision) => [decision.contest.reg, decision])),
    [bulk],
  );
  const shown = bulk === null ? list : bulk.plan.map(({ contest }) => contest);
  const place = shown.findIndex(({ reg }) => reg === at);
  const contest = list.find(({ reg }) => reg === at);
  const settled = bulk === null ? 0 : sumsOf(bulk.plan).resolved;
  const isReady = !busy && (bulk === null ? choice !== null : settled > 0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const chord = chordOf(event.nativeEvent);
    const action = chord === undefined ? undefined : (reviewActionFor(chord) ?? history(chord));
    if (
      action === undefined ||
      !isOffered(action, editor) ||
      event.defaultPrevented ||
      (action.inText !== true && event.target instanceof Element && event.target.matches(TEXT))
    )
      return;
    event.preventDefault();
    action.run(editor);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) void (bulk === null ? review.resolve() : review.resolveAll());
  };
  return (
    <Dialog
      open
      full
      onOpenChange={(next) => {
        if (!next) review.close();
      }}
      title="Resolve conflicts"
      focus={listRef}
      footer={
        list.length === 0 || !mayWrite ? (
          <>
            <p className="mx-contests-news small" role="status">
              {mayWrite ? notice?.text : 'Read only.'}
            </p>
            {contest !== undefined && !mayWrite && (
              <Button onClick={review.showInMatrix}>Show in the matrix</Button>
            )}
            <Button variant="primary" onClick={review.close}>
              Close
            </Button>
          </>
        ) : (
          <div className="mx-contests-keys" role="presentation" onKeyDown={onKeyDown}>
            <form className="mx-contests-foot" onSubmit={submit}>
              <p className="mx-contests-news small" role="status" data-tone={notice?.tone}>
                {notice?.text}
              </p>
              <label className="mx-contests-why">
                Reason
                <input
                  ref={whyRef}
                  className="input"
                  maxLength={2_000}
                  required
                  value={why}
                  placeholder="Kept in the history of each cell"
                  onChange={(event) => review.setWhy(event.target.value)}
                />
              </label>
              {why === '' && lastWhy !== '' && (
                <Button
                  size="sm"
                  title={lastWhy}
                  onClick={() => {
                    review.setWhy(lastWhy);
                    whyRef.current?.focus();
                  }}
                >
                  Same as before
                </Button>
              )}
              {bulk === null ? (
                <>
                  <Button
                    onClick={() => review.edit()}
                    disabled={contest?.kind === 'item' || contest?.kind === 'removed'}
                  >
                    Other value
                  </Button>
                  <Button onClick={review.showInMatrix}>Show in the matrix</Button>
                </>
              ) : (
                <Button icon={<X size={14} aria-hidden="true" />} onClick={() => review.plan(null)}>
                  Back to one by one
                </Button>
              )}
              <Button
                variant="primary"
                type="submit"
                busy={busy}
                disabled={!isReady || why.trim() === ''}
              >
                {bulk === null ? 'Resolve' : `Resolve ${plural(settled, 'cell')}`}
              </Button>
            </form>
          </div>
        )
      }
    >
      {list.length === 0 ? (
        <EmptyState title="No conflicts">
          <p>Every cell has one value, or values that agree.</p>
        </EmptyState>
      ) : (
        // The keys of the whole review; buttons and fields have their own.
        <div className="mx-contests" role="presentation" onKeyDown={onKeyDown}>
          <div className="mx-contests-side">
            <p className="small" role="status">
              {place >= 0 ? `${formatCount(place + 1)} of ` : ''}
              {plural(shown.length, 'conflict')}
            </p>
            <ReviewRows
              session={editor.session}
              list={shown}
              at={at}
              plan={plan}
              onGo={review.go}
              onStep={review.step}
              listRef={listRef}
            />
            {bulk === null && mayWrite && (
              <Button
                icon={<ListChecks size={15} aria-hidden="true" />}
                onClick={() => review.plan({})}
              >
                Resolve many by a rule…
              </Button>
            )}
          </div>
          <div className="mx-contests-main">
            {bulk !== null && <BulkForm review={review} bulk={bulk} />}
            {contest !== undefined &&
              (contest.kind === 'removed' ? (
                <Removed review={review} contest={contest} />
              ) : (
                <Compare review={review} contest={contest} />
              ))}
          </div>
        </div>
      )}
    </Dialog>
  );
}
