import { Fragment, useEffect, useId, useRef } from 'react';
import { useStore } from 'zustand';
import type { Alternative, Contest, EntryAuthor } from '../../../data/store/port.ts';
import type { CellState } from '../../../../shared/domain/outcome.ts';
import { formatDateTime } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { SideBySide } from '../../../ui/SideBySide.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_KEYS, STATE_WORDS, stateKey } from '../model/states.ts';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { authorOf, changesResult, withOutcome } from '../conflicts/decide.ts';
import type { Review } from '../conflicts/review-state.ts';
import { linesOf, valueText, whatDiffers, whereOf, OUTCOME_LINE } from '../conflicts/words.ts';
import { t } from '../../../text/t.ts';
import { AUTHOR_WORDS } from '../model/history-text.ts';

const RECORDED_BY = t('Recorded by');

/** All values of one register side by side, with who wrote them, and the choice among them. */
export function Compare({ review, contest }: { review: Review; contest: Contest }) {
  const { session } = useEditor();
  const mayWrite = useMayWrite();
  const { heads, choice, editing, overtaken, writers, bulk } = useStore(review.store);
  const taken =
    bulk === null
      ? choice?.entry
      : bulk.plan.find((decision) => decision.contest.reg === contest.reg)?.taken?.entry;
  const id = useId();
  const { item, label, rule } = whereOf(session, contest);
  const row = session.rowOf(contest.item);
  const notes =
    contest.rule === null || row < 0
      ? []
      : session
          .alternatives(row, session.columnOf(contest.rule))
          .filter(({ field }) => field === 'notes');
  const lines = linesOf(heads, contest.field === 'outcome' ? notes : [], writers);
  const facts = [
    {
      name: RECORDED_BY,
      of: (writer: EntryAuthor) => `${authorOf(writer)}${AUTHOR_WORDS[writer.kind]}`,
    },
    { name: t('When'), of: (writer: EntryAuthor) => formatDateTime(writer.at) },
    { name: t('Reason given'), of: (writer: EntryAuthor) => writer.reason ?? '' },
  ].map(({ name, of }) => {
    const values = heads.map(({ entry }) => {
      const writer = writers.get(entry);
      return writer === undefined ? t('not known here yet') : of(writer);
    });
    return { name, values };
  });
  return (
    <section className="mx-compare" aria-labelledby={id}>
      <h3 id={id}>
        {label === '' ? item : label}
        {label !== '' && <span className="muted"> {item}</span>}
        {rule !== null && <>, {rule}</>}
      </h3>
      <p className="small">
        {whatDiffers(contest)}
        {changesResult(heads) && (
          <strong className="mx-material"> {t('◆ the choice changes the result')}</strong>
        )}
      </p>
      {overtaken && (
        <Notice tone="danger" live>
          {t('Another value was recorded since you chose. Look again: nothing was resolved.')}
        </Notice>
      )}
      <SideBySide
        values={heads.map((head, at) => ({
          key: head.entry,
          name: valueText(head),
          heading: (
            <>
              <kbd aria-hidden="true">{at + 1}</kbd>
              {head.displayed && <span>{t('shown now')}</span>}
            </>
          ),
        }))}
        lines={[
          ...lines.map(({ name, values, differs }) => ({
            name,
            differs,
            cells:
              name !== OUTCOME_LINE
                ? values
                : heads.map((head, at) => (
                    <span key={head.entry} className="mx-compare-outcome">
                      <Mark state={stateKey(head.raw_outcome)} /> {values[at]}
                    </span>
                  )),
          })),
          ...facts.map(({ name, values }) => ({
            name,
            cells:
              name !== RECORDED_BY
                ? values
                : heads.map(({ entry }, at) => (
                    <Fragment key={entry}>
                      {values[at]}
                      <Restored writer={writers.get(entry)} />
                    </Fragment>
                  )),
          })),
        ]}
        group={id}
        taken={taken}
        disabled={bulk !== null || !mayWrite}
        onTake={(_, at) => review.choose(at + 1)}
      />
      {editing && choice !== null && (
        <OtherValue review={review} contest={contest} value={choice.value} />
      )}
    </section>
  );
}

function Restored({ writer }: { writer: EntryAuthor | undefined }) {
  const restored = writer?.restored ?? null;
  return restored === null ? null : (
    <span className="muted small mx-restored">
      {t('brought back by {author}, {when}', {
        author: restored.by,
        when: formatDateTime(restored.at),
      })}
    </span>
  );
}

type ComparedOutcome = Pick<Alternative, 'raw_outcome'> & {
  source_value?: string;
  provenance?: unknown;
};

/** A value that nobody has recorded: an outcome with its source, or notes. */
function OtherValue({
  review,
  contest,
  value,
}: {
  review: Review;
  contest: Contest;
  value: unknown;
}) {
  const id = useId();
  const first = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  if (contest.field === 'notes') {
    return (
      <label className="mx-other">
        {t('Notes')}
        <textarea
          className="input input-area"
          rows={4}
          ref={first}
          maxLength={20_000}
          value={(value as string | null) ?? ''}
          onChange={(event) => review.edit(event.target.value === '' ? null : event.target.value)}
        />
      </label>
    );
  }
  const outcome = value as ComparedOutcome;
  const set = (raw: CellState): void =>
    review.edit(withOutcome(review.store.getState().heads, outcome, raw));
  const setSource = (text: string): void => {
    const { source_value: _, ...rest } = outcome;
    review.edit(text === '' ? rest : { ...rest, source_value: text });
  };
  return (
    <fieldset className="mx-other">
      <legend>{t('Another value')}</legend>
      <div className="mx-other-states">
        {STATE_KEYS.map((key, at) => (
          <label key={key}>
            <input
              type="radio"
              name={id}
              ref={at === 0 ? first : undefined}
              checked={stateKey(outcome.raw_outcome) === key}
              onChange={() => set(key === 'unrecorded' ? null : key)}
            />{' '}
            <Mark state={key} /> {STATE_WORDS[key].full}
          </label>
        ))}
      </div>
      <label>
        {t('Reported value')}
        <input
          className="input"
          maxLength={20_000}
          value={outcome.source_value ?? ''}
          onChange={(event) => setSource(event.target.value)}
        />
      </label>
    </fieldset>
  );
}
