import type { ReactNode } from 'react';
import { t } from '../text/t.ts';

export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'accent' | 'warning' | 'danger';
  children: ReactNode;
}) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

export type OutcomeKind = 'FALSE' | 'TRUE' | 'NA' | 'unrecorded';

/** What each state is called everywhere: letter, word and meaning. */
export const OUTCOME_TEXT: Record<OutcomeKind, { letter: string; name: string; meaning: string }> =
  {
    FALSE: { letter: 'F', name: 'FALSE', meaning: t('evidence present') },
    TRUE: { letter: 'T', name: 'TRUE', meaning: t('problem found') },
    NA: { letter: 'NA', name: 'NA', meaning: t('not available') },
    unrecorded: { letter: '–', name: t('unrecorded'), meaning: t('nobody has recorded it') },
  };

/** The mark of a state: letter, fill and edge, so that colour is never the only sign. */
export function OutcomeMark({ kind, label = false }: { kind: OutcomeKind; label?: boolean }) {
  const text = OUTCOME_TEXT[kind];
  return (
    <span className="outcome">
      <span className="outcome-mark" data-outcome={kind} aria-hidden={label || undefined}>
        {text.letter}
      </span>
      {label && (
        <span className="outcome-label">
          <strong>{text.name}</strong>
          {kind === 'unrecorded' ? '' : ` ${text.meaning}`}
        </span>
      )}
    </span>
  );
}
