import { t } from '../text/t.ts';
import './outcome-mark.css';

export type OutcomeKind = 'FALSE' | 'TRUE' | 'NA' | 'unrecorded';
export const OUTCOME_KINDS: readonly OutcomeKind[] = ['FALSE', 'TRUE', 'NA', 'unrecorded'];

/** What each state is called everywhere: the letter in its mark, its word, its meaning. */
export const OUTCOME_TEXT: Record<OutcomeKind, { letter: string; name: string; meaning: string }> =
  {
    FALSE: { letter: 'F', name: 'FALSE', meaning: t('evidence present') },
    TRUE: { letter: 'T', name: 'TRUE', meaning: t('problem found') },
    NA: { letter: 'NA', name: 'NA', meaning: t('not available') },
    unrecorded: { letter: '', name: t('unrecorded'), meaning: t('nobody has recorded it') },
  };

/** Name and meaning, where an outcome stands alone. */
const inFull = (kind: OutcomeKind): string => {
  const { name, meaning } = OUTCOME_TEXT[kind];
  return kind === 'unrecorded' ? name : `${name}, ${meaning}`;
};

/**
 * The one drawing of a state: letter, shape and fill, so that colour is never the only sign. Words
 * must stand beside it. On paper, where its letter is the word, it is smaller and as clear in grey.
 */
export function Mark({ state, paper = false }: { state: OutcomeKind; paper?: boolean }) {
  return (
    <span
      className={paper ? 'outcome-mark paper-mark' : 'outcome-mark'}
      data-state={state}
      aria-hidden={paper ? undefined : true}
    >
      {OUTCOME_TEXT[state].letter}
    </span>
  );
}

/** A mark with its words: beside it, or for those alone who do not see it. */
export function OutcomeMark({ kind, label = false }: { kind: OutcomeKind; label?: boolean }) {
  const text = OUTCOME_TEXT[kind];
  return (
    <span className="outcome">
      <Mark state={kind} />
      {label ? (
        <span className="outcome-label">
          <strong>{text.name}</strong>
          {kind === 'unrecorded' ? '' : ` ${text.meaning}`}
        </span>
      ) : (
        <span className="visually-hidden">{inFull(kind)}</span>
      )}
    </span>
  );
}
