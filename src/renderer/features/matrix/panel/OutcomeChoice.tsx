import { type KeyboardEvent, useId, useRef } from 'react';
import { CELL_STATES, type CellState } from '../../../../shared/domain/outcome.ts';
import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import { actionById } from '../actions/actions.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { meaningOf } from '../marks/Meanings.tsx';
import { STATE_WORDS, type StateKey, stateKey } from '../model/states.ts';
import { useKeyHints } from '../actions/key-hint.ts';
import { t } from '../../../text/t.ts';

interface OutcomeChoiceProps {
  rule: ProfileRule;
  state: CellState;
  readOnly: boolean;
  onChoose: (state: CellState) => void;
}

const ACTION_OF: Record<StateKey, string> = {
  FALSE: 'record.false',
  TRUE: 'record.true',
  NA: 'record.na',
  unrecorded: 'record.clear',
};
const STEP: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * The rule's meanings as a radio group. Arrow keys only move the focus and do not choose, since
 * each recorded outcome stays in the history for ever.
 */
export function OutcomeChoice({ rule, state, readOnly, onChoose }: OutcomeChoiceProps) {
  const id = useId();
  const keysOf = useKeyHints();
  const group = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEP[event.key];
    const buttons = [...(group.current?.querySelectorAll<HTMLButtonElement>('[role=radio]') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  return (
    <div
      ref={group}
      role="radiogroup"
      aria-label={t('Outcome')}
      aria-readonly={readOnly || undefined}
      tabIndex={-1}
      className="mx-outcomes"
      onKeyDown={onKeyDown}
    >
      {CELL_STATES.map((option) => {
        const key = stateKey(option);
        const isCurrent = option === state;
        const hint = keysOf(actionById(ACTION_OF[key]));
        return (
          <button
            key={key}
            type="button"
            role="radio"
            aria-checked={isCurrent}
            aria-disabled={(readOnly && !isCurrent) || undefined}
            aria-label={STATE_WORDS[key].full}
            aria-describedby={`${id}-${key}`}
            tabIndex={isCurrent ? 0 : -1}
            className="mx-outcome"
            data-state={key}
            onClick={() => {
              if (!readOnly) onChoose(option);
            }}
          >
            <Mark state={key} />
            <span className="mx-outcome-text">
              <span className="mx-outcome-name">
                <strong>{key === 'unrecorded' ? t('Unrecorded') : key}</strong>
                {key !== 'unrecorded' && <span> {STATE_WORDS[key].meaning}</span>}
                {hint !== '' && !readOnly && <kbd aria-hidden="true">{hint}</kbd>}
              </span>
              <span id={`${id}-${key}`} className="mx-outcome-meaning">
                {meaningOf(rule, key)}
              </span>
            </span>
          </button>
        );
      })}
    </div>
  );
}
